use siglum_eval::generate::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    for s in Script::ALL {
        let t = std::time::Instant::now();
        let l = Language::new(s, 1);
        let tl = t.elapsed();
        for b in 0..3 {
            let t = std::time::Instant::now();
            let x = l.book(b, n);
            eprintln!("{s:?} lang {tl:?} book {:?} bytes {}", t.elapsed(), x.len());
            std::fs::write(format!("/tmp/gen/{s:?}-{b}.txt"), x).unwrap();
        }
    }
}
