"""One module per product, each with its declaration as `PRODUCT`."""
