"""A server for agents, of the Model Context Protocol."""
