"""Records put together of pieces, so that what is in them is known before anybody reads them."""
