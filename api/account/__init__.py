"""Registration: an address asks for a key, a mail brings a link, the link's page shows the key once."""
