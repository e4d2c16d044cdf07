"""The browser as presenter and responder of the session loop; this package knows no protocol."""
