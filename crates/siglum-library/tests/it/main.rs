//! Libraries of small generated books, scanned in every way that must come to the same.

mod books;
mod copies;
mod damage;
mod files;
mod find;
mod order;
mod records;
mod shelf;
mod strange_schema;
mod strangers;
