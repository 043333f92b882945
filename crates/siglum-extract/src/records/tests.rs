//! Catalogues from end to end.
