//! Values that arguments of several commands take.

use siglum::{Class, Scheme};

pub(super) fn parse_scheme(name: &str) -> Result<Scheme, siglum::Error> {
    Scheme::parse(name)
}

/// A relation by its name, in upper or lower case, with any sign between its words.
pub(super) fn parse_class(name: &str) -> Result<Class, String> {
    let plain = name.to_uppercase().replace(['-', ' '], "_");
    let class = Class::ALL.into_iter().find(|class| class.name() == plain);
    let names = || Class::ALL.map(Class::name)[..Class::ALL.len() - 1].join(", ");
    class.filter(|class| *class != Class::Unrelated).ok_or_else(|| format!("the relations are {}", names()))
}

pub(super) fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "it must be a number from 0 to 1".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_is_known_by_its_name() {
        assert_eq!(parse_class("contained-text"), Ok(Class::ContainedText));
        assert_eq!(parse_class("SAME_PAGINATION"), Ok(Class::SamePagination));
        assert!(["", "same", "UNRELATED"].iter().all(|name| parse_class(name).is_err()));
    }
}
