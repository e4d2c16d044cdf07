"""The browser as presenter and responder of the session loop; it knows no protocol."""
