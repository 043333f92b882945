//! Libraries of small generated books, scanned in every way that must come to the same.

mod again;
mod backups;
mod books;
mod copies;
mod damage;
mod files;
mod find;
mod journals;
mod order;
mod pages;
mod records;
mod rows;
mod shelf;
mod strange_schema;
mod strangers;
