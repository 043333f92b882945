//! What the events of a journal do to the catalogue.
//!
//! Taking an event twice is as taking it once: events may be taken again by a catalogue that has some of them.

use super::decisions::{self, Pair};
use super::event::{Claim, Event, Kind};
use super::{claims, position};
use crate::error::Result;
use crate::store::rows::records;
use rusqlite::Connection;
use std::collections::BTreeMap;

/// What a journal says in the end: for each pair and each claim the last line about it.
#[derive(Debug, Default)]
pub(super) struct Said<'e> {
    /// Since when a pair is not the same; `None` where that was taken back.
    pub(super) decisions: BTreeMap<Pair, Option<u64>>,
    /// A claim and when it was made; `None` where it was released.
    pub(super) claims: BTreeMap<&'e str, Option<(&'e Claim, u64)>>,
}

impl<'e> Said<'e> {
    /// Whether anything was said about what an event is about.
    pub(super) fn knows(&self, event: &Event) -> bool {
        match &event.kind {
            Kind::NotSame(pair) | Kind::Undo(pair) => self.decisions.contains_key(pair),
            Kind::Claim(claim) => self.claims.contains_key(claim.key.as_str()),
            Kind::Release { key, .. } => self.claims.contains_key(key.as_str()),
            Kind::Import { .. } | Kind::Repair { .. } => false,
        }
    }

    pub(super) fn hear(&mut self, event: &'e Event) {
        match &event.kind {
            Kind::NotSame(pair) => drop(self.decisions.insert(*pair, Some(event.at))),
            Kind::Undo(pair) => drop(self.decisions.insert(*pair, None)),
            Kind::Claim(claim) => drop(self.claims.insert(&claim.key, Some((claim, event.at)))),
            Kind::Release { key, .. } => drop(self.claims.insert(key, None)),
            Kind::Import { .. } | Kind::Repair { .. } => {}
        }
    }
}

impl<'e> FromIterator<&'e Event> for Said<'e> {
    fn from_iter<I: IntoIterator<Item = &'e Event>>(events: I) -> Said<'e> {
        let mut said = Said::default();
        events.into_iter().for_each(|event| said.hear(event));
        said
    }
}

/// Brings the catalogue to what events say. Claims that have ended by now stay out.
pub(super) fn take(connection: &Connection, events: &[&Event], now: u64) -> Result<()> {
    let said: Said<'_> = events.iter().copied().collect();
    for (pair, at) in &said.decisions {
        decisions::apply(connection, pair, *at)?;
    }
    for (key, claim) in said.claims {
        match (claim, claims::record_of(connection, key)?) {
            (Some((claim, at)), None) if claim.until > now => claims::restore(connection, claim, at)?,
            (None, Some(record)) => records::delete(connection, record)?,
            _ => {}
        }
    }
    for event in events {
        if let Kind::Import { file, .. } = &event.kind {
            position::remember_import(connection, file)?;
        }
    }
    Ok(())
}

/// What a journal says in the end and the catalogue does not know, as events. Claims that have ended by now are not missed.
pub(super) fn lost(connection: &Connection, said: &Said<'_>, now: u64) -> Result<Vec<Event>> {
    let decisions = decisions::load(connection)?;
    let mut lost = Vec::new();
    for (pair, at) in &said.decisions {
        if let Some(at) = at.filter(|_| !decisions.contains_key(pair)) {
            lost.push(Event { at, kind: Kind::NotSame(*pair) });
        }
    }
    for claim in said.claims.values() {
        let Some((claim, at)) = claim.filter(|(claim, _)| claim.until > now) else { continue };
        if claims::record_of(connection, &claim.key)?.is_none() {
            lost.push(Event { at, kind: Kind::Claim(Box::new(claim.clone())) });
        }
    }
    Ok(lost)
}

/// What the catalogue knows and the journal does not say: the events that make the journal say it.
pub(super) fn untold(connection: &Connection, said: &Said<'_>, now: u64) -> Result<Vec<Event>> {
    let decisions = decisions::load(connection)?;
    let claims = claims::load(connection)?;
    let mut untold = Vec::new();
    for (pair, at) in &decisions {
        if !matches!(said.decisions.get(pair), Some(Some(_))) {
            untold.push(Event { at: *at, kind: Kind::NotSame(*pair) });
        }
    }
    for (pair, at) in &said.decisions {
        if at.is_some() && !decisions.contains_key(pair) {
            untold.push(Event { at: now, kind: Kind::Undo(*pair) });
        }
    }
    for (key, claim) in &claims {
        if !matches!(said.claims.get(key.as_str()), Some(Some(_))) {
            untold.push(claim.clone());
        }
    }
    for (key, claim) in &said.claims {
        if let Some((claim, _)) = claim.filter(|(claim, _)| claim.until > now && !claims.contains_key(*key)) {
            let kind = Kind::Release { key: claim.key.clone(), centre: Some(claim.centre.clone()) };
            untold.push(Event { at: now, kind });
        }
    }
    Ok(untold)
}
