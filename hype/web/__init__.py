"""The browser as presenter and responder of the one session loop; knows no protocol."""
