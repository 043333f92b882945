//! Work spread over threads, its results taken in by one.

use crate::error::Result;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Results that may wait for the one who takes them, for each thread.
const WAITING: usize = 4;

/// Works on items in several threads, each with a state of its own, and hands the results to `take` in this thread, in
/// whatever order they come. Ends early when `stop` is set, and at the first error.
pub(crate) fn run<T: Sync, S, R: Send>(
    items: &[T],
    threads: usize,
    stop: &AtomicBool,
    state: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, &T) -> Result<R> + Sync,
    mut take: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    let threads = threads.clamp(1, items.len().max(1));
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let goes_on = || !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let (sender, results) = mpsc::sync_channel(WAITING * threads);
        for _ in 0..threads {
            let (sender, next, state, work, goes_on) = (sender.clone(), &next, &state, &work, &goes_on);
            scope.spawn(move || {
                let mut own = match state() {
                    Ok(own) => own,
                    Err(error) => return drop(sender.send(Err(error))),
                };
                while goes_on() {
                    let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                    if sender.send(work(&mut own, item)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut outcome = Ok(());
        for result in results {
            if outcome.is_ok() {
                outcome = result.and_then(&mut take);
                failed.store(outcome.is_err(), Ordering::Relaxed);
            }
        }
        outcome
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use std::path::PathBuf;

    #[test]
    fn every_item_is_worked_on_once_whatever_the_threads() {
        let items: Vec<u32> = (0..1000).collect();
        for threads in [1, 2, 7] {
            let mut sum = 0;
            let take = |n: u32| {
                sum += n;
                Ok(())
            };
            run(&items, threads, &AtomicBool::new(false), || Ok(()), |(), &n| Ok(n), take).unwrap();
            assert_eq!(sum, 499_500);
        }
    }

    #[test]
    fn an_error_ends_it() {
        let items: Vec<u32> = (0..10_000).collect();
        let work = |(): &mut (), &n: &u32| match n {
            5 => Err(Error::Missing(PathBuf::from("x"))),
            n => Ok(n),
        };
        let mut n_taken = 0;
        let take = |_| {
            n_taken += 1;
            Ok(())
        };
        let outcome = run(&items, 2, &AtomicBool::new(false), || Ok(()), work, take);
        assert!(matches!(outcome, Err(Error::Missing(_))));
        assert!(n_taken < 1000, "{n_taken}");
    }

    #[test]
    fn nothing_is_begun_once_it_is_stopped() {
        let mut n_taken = 0;
        let take = |()| {
            n_taken += 1;
            Ok(())
        };
        run(&[1, 2, 3], 2, &AtomicBool::new(true), || Ok(()), |(), _| Ok(()), take).unwrap();
        assert_eq!(n_taken, 0);
    }
}
