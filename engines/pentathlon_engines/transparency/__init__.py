"""The log of receipts: a Merkle tree that only grows, and how anybody checks it."""
