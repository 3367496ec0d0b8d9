"""One module per rule: the work that its script hands over."""
