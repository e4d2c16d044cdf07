"""How real generated images look to people."""
