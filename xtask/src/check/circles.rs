//! Checks that the source files of a crate have no dependency cycles. A module and its parents or
//! children can use each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result, bail};

use super::uses::{Module, Uses, uses_of};

/// Fails with the files of every cycle.
pub(super) fn check() -> Result<()> {
    let mut circles = Vec::new();
    let mut files = 0;
    for source in sources()? {
        let krate = Crate::read(&source)?;
        files += krate.files.len();
        circles.extend(krate.circles().into_iter().map(|circle| {
            let names: Vec<String> = circle.iter().map(|module| krate.name_of(module)).collect();
            format!("{}: {}", source.display(), names.join(" -> "))
        }));
    }
    if !circles.is_empty() {
        bail!(
            "{} circles of files:\n{}\nmove what both files need into a file that uses neither",
            circles.len(),
            circles.join("\n")
        );
    }
    println!("{files} files, no circle");
    Ok(())
}

/// The source directories of all crates.
pub(super) fn sources() -> Result<Vec<PathBuf>> {
    let mut found = vec![PathBuf::from("xtask/src")];
    for entry in fs::read_dir("crates").context("cannot list crates")? {
        found.push(entry?.path().join("src"));
    }
    found.sort();
    Ok(found)
}

/// The modules of a crate, each with the paths that the module uses.
#[derive(Debug, Default)]
struct Crate {
    files: BTreeMap<Module, (PathBuf, Uses)>,
}

impl Crate {
    fn read(source: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        for path in rust_files(source).with_context(|| format!("cannot list {source:?}"))? {
            let module = module_of(path.strip_prefix(source)?);
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {path:?}"))?;
            let uses = uses_of(&text, &module).with_context(|| format!("cannot parse {path:?}"))?;
            files.insert(module, (path, uses));
        }
        Ok(Self { files })
    }

    fn name_of(&self, module: &Module) -> String {
        self.files[module].0.display().to_string()
    }

    /// One cycle per strongly connected set of files.
    fn circles(&self) -> Vec<Vec<Module>> {
        let arrows: BTreeMap<&Module, BTreeSet<&Module>> = self
            .files
            .iter()
            .map(|(module, (_, uses))| (module, self.used_by(module, uses)))
            .collect();
        let mut circles: Vec<Vec<Module>> = Vec::new();
        let mut seen: BTreeSet<&Module> = BTreeSet::new();
        for module in arrows.keys() {
            if seen.contains(*module) {
                continue;
            }
            if let Some(circle) = shortest_circle(&arrows, module) {
                let ahead = reachable(&arrows, module);
                let together = ahead.into_iter();
                seen.extend(together.filter(|other| reachable(&arrows, other).contains(*module)));
                circles.push(circle.into_iter().cloned().collect());
            }
        }
        circles
    }

    /// The files that a file uses, without its parents and children.
    fn used_by(&self, module: &Module, uses: &Uses) -> BTreeSet<&Module> {
        let used = uses.paths.iter().filter_map(|path| self.defining(path, 0));
        let is_family = |other: &Module| other.starts_with(module) || module.starts_with(other);
        used.filter(|other| !is_family(other)).collect()
    }

    /// The file that defines the item with this path, with re-exports resolved.
    fn defining(&self, path: &[String], depth: usize) -> Option<&Module> {
        let longest = (0..=path.len()).rev();
        let mut modules = longest.filter_map(|end| self.files.get_key_value(&path[..end]));
        let (module, (_, uses)) = modules.next()?;
        let Some(name) = path.get(module.len()) else {
            return Some(module);
        };
        // The depth limit ends cycles of re-exports.
        if uses.defined.contains(name) || depth > 8 {
            return Some(module);
        }
        let rest = &path[module.len() + 1..];
        let follow = |target: &[String]| self.defining(&[target, rest].concat(), depth + 1);
        if let Some(target) = uses.reexported.get(name) {
            return follow(target);
        }
        let through_globs = uses.globs.iter().find_map(|glob| {
            let target = [glob.as_slice(), std::slice::from_ref(name)].concat();
            let found = self.defining(&target, depth + 1)?;
            self.files[found].1.defined.contains(name).then_some(found)
        });
        through_globs.or(Some(module))
    }
}

type Arrows<'a> = BTreeMap<&'a Module, BTreeSet<&'a Module>>;

fn reachable<'a>(arrows: &Arrows<'a>, from: &'a Module) -> BTreeSet<&'a Module> {
    let mut found = BTreeSet::new();
    let mut next: Vec<&Module> = arrows[from].iter().copied().collect();
    while let Some(module) = next.pop() {
        if found.insert(module) {
            next.extend(&arrows[module]);
        }
    }
    found
}

/// The shortest cycle through a file; the file is both the first and the last element.
fn shortest_circle<'a>(arrows: &Arrows<'a>, from: &'a Module) -> Option<Vec<&'a Module>> {
    let mut came_from: BTreeMap<&Module, &Module> = BTreeMap::new();
    let mut reached = vec![from];
    while !reached.is_empty() {
        let mut next = Vec::new();
        for module in reached {
            for used in &arrows[module] {
                if *used == from {
                    return Some(way_back(&came_from, module, from));
                }
                if !came_from.contains_key(used) {
                    came_from.insert(used, module);
                    next.push(*used);
                }
            }
        }
        reached = next;
    }
    None
}

fn way_back<'a>(
    came_from: &BTreeMap<&'a Module, &'a Module>,
    last: &'a Module,
    from: &'a Module,
) -> Vec<&'a Module> {
    let mut way = vec![from, last];
    while way[way.len() - 1] != from {
        way.push(came_from[way[way.len() - 1]]);
    }
    way.reverse();
    way
}

pub(super) fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// The module of a file: `reader` for `reader/mod.rs` and `reader.rs`, the root for `lib.rs` and
/// `main.rs`.
fn module_of(path: &Path) -> Module {
    let without_extension = path.with_extension("");
    let parts = without_extension.iter();
    let mut module: Module = parts
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if matches!(
        module.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        module.pop();
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let files = files.iter().map(|(path, text)| {
            let module = module_of(Path::new(path));
            let uses = uses_of(text, &module).unwrap();
            (module, (PathBuf::from(path), uses))
        });
        let krate = Crate {
            files: files.collect(),
        };
        let names = |circle: &Vec<Module>| circle.iter().map(|m| krate.name_of(m)).collect();
        krate.circles().iter().map(names).collect()
    }

    #[test]
    fn two_files_that_use_each_other_are_a_circle() {
        let found = circles(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "pub struct B; fn f() { super::c::g() }"),
            ("c.rs", "use super::a::{A, nothing}; pub fn g() {}"),
        ]);
        assert_eq!(found, [["a.rs", "b.rs", "c.rs", "a.rs"]]);
    }

    #[test]
    fn a_circle_by_way_of_a_re_export_is_found() {
        let found = circles(&[
            ("lib.rs", "mod a; mod b; pub use a::A; pub(crate) use b::*;"),
            ("a.rs", "pub struct A; fn f() -> crate::B { crate::B }"),
            ("b.rs", "use crate::A; pub struct B;"),
        ]);
        assert_eq!(found, [["a.rs", "b.rs", "a.rs"]]);
    }

    #[test]
    fn a_circle_by_way_of_an_imported_module_is_found() {
        let found = circles(&[
            ("lib.rs", "mod actions; mod b;"),
            ("actions/mod.rs", "pub mod put;"),
            ("actions/put.rs", "use crate::b::B; pub const KIND: B = B;"),
            (
                "b.rs",
                "use crate::actions; pub struct B; fn f() { g(actions::put::KIND) }",
            ),
        ]);
        assert_eq!(found, [["actions/put.rs", "b.rs", "actions/put.rs"]]);
        let in_macro = circles(&[
            ("lib.rs", "mod actions; mod b;"),
            ("actions/mod.rs", "pub mod put;"),
            ("actions/put.rs", "use crate::b::B; pub const KIND: B = B;"),
            (
                "b.rs",
                "use crate::actions; pub struct B; fn f() { vec![actions::put::KIND] }",
            ),
        ]);
        assert_eq!(in_macro, found);
    }

    #[test]
    fn a_circle_by_way_of_the_body_of_a_macro_is_found() {
        let found = circles(&[
            ("lib.rs", "mod rows; mod stored;"),
            (
                "rows.rs",
                "pub struct Row; macro_rules! rows { ($($name:ident)*) => \
                 { $( $crate::stored::model! { $name } )* } }",
            ),
            ("stored.rs", "use crate::rows::Row;"),
        ]);
        assert_eq!(found, [["rows.rs", "stored.rs", "rows.rs"]]);
        let by_import = circles(&[
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "pub struct A; pub fn f() -> crate::b::B { crate::b::B }",
            ),
            (
                "b.rs",
                "pub struct B; macro_rules! m { () => { { use $crate::{a::{A, f as g}, c}; } } }",
            ),
        ]);
        assert_eq!(by_import, [["a.rs", "b.rs", "a.rs"]]);
        let before_a_variable = circles(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B;"),
            (
                "b.rs",
                "macro_rules! m { ($x:ident) => { ($crate::a::$x) } }",
            ),
        ]);
        assert_eq!(before_a_variable, [["a.rs", "b.rs", "a.rs"]]);
    }

    #[test]
    fn families_and_tests_are_no_circle() {
        let found = circles(&[
            ("lib.rs", "mod a; mod b; use a::A;"),
            ("a/mod.rs", "mod child; use child::Child; pub struct A;"),
            ("a/child.rs", "use super::A; pub struct Child;"),
            (
                "b.rs",
                "use crate::a::A; pub struct B; #[cfg(test)] mod tests { use crate::A; }",
            ),
            ("a.rs.txt", ""),
        ]);
        assert_eq!(found, [[""; 0]; 0]);
        let in_tests = circles(&[
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }",
            ),
            ("b.rs", "use crate::a::A; pub struct B;"),
        ]);
        assert_eq!(in_tests, [[""; 0]; 0]);
    }
}
