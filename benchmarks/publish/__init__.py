"""Keep finished runs under docs/results/ and make the pages about them."""
