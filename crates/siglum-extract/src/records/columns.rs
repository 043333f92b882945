//! Which column of a table is which field of a record: by what its header says in the languages of libraries, or as a
//! person says.

use super::finish::Found;
use crate::failure::Failure;
use siglum::report::printable;
use std::fmt;

/// A field of a record that a column may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The identifier of the record.
    Id,
    /// The title.
    Title,
    /// What is joined to the title.
    Subtitle,
    /// Authors, editors, translators.
    Creator,
    /// The year or date of publication.
    Date,
    /// The volume.
    Volume,
    /// The edition.
    Edition,
    /// The publisher.
    Publisher,
    /// The series.
    Series,
    /// The language.
    Language,
    /// ISBN.
    Isbn,
    /// DOI.
    Doi,
    /// Number in OCLC's catalogue.
    Oclc,
    /// Number in the catalogue of the Library of Congress.
    Lccn,
    /// Subject, genre, class.
    Category,
}

/// The name of each field, and what headers call it: lower case, letters only.
const NAMES: &[(Field, &str, &[&str])] = &[
    (
        Field::Title,
        "title",
        &[
            "title",
            "titles",
            "maintitle",
            "booktitle",
            "fulltitle",
            "titel",
            "haupttitel",
            "buchtitel",
            "titre",
            "titulo",
            "título",
            "titolo",
            "tytuł",
            "tytul",
            "název",
            "nazev",
            "otsikko",
            "teos",
            "nimeke",
            "rubrik",
            "cím",
            "cim",
            "titlu",
            "başlık",
            "название",
            "заглавие",
            "заголовок",
            "τίτλος",
            "כותר",
            "כותרת",
            "שם",
            "书名",
            "書名",
            "题名",
            "題名",
            "作品名",
            "タイトル",
            "제목",
            "서명",
            "العنوان",
            "शीर्षक",
            "naslov",
            "tittel",
        ],
    ),
    (
        Field::Subtitle,
        "subtitle",
        &[
            "subtitle",
            "subtitles",
            "untertitel",
            "soustitre",
            "subtitulo",
            "subtítulo",
            "sottotitolo",
            "ondertitel",
            "remainderoftitle",
            "подзаголовок",
            "副題",
            "副书名",
            "副書名",
        ],
    ),
    (
        Field::Creator,
        "creator",
        &[
            "author",
            "authors",
            "authorname",
            "authornames",
            "creator",
            "creators",
            "autor",
            "autoren",
            "verfasser",
            "verfasserin",
            "urheber",
            "auteur",
            "auteurs",
            "autores",
            "autore",
            "autori",
            "autorzy",
            "författare",
            "forfatter",
            "tekijä",
            "kirjailija",
            "szerző",
            "yazar",
            "auteurnaam",
            "writer",
            "writers",
            "by",
            "editor",
            "editors",
            "herausgeber",
            "translator",
            "translators",
            "übersetzer",
            "автор",
            "авторы",
            "συγγραφέας",
            "מחבר",
            "מחברים",
            "סופר",
            "作者",
            "著者",
            "著者名",
            "作者名",
            "저자",
            "지은이",
            "المؤلف",
            "लेखक",
            "avtor",
        ],
    ),
    (
        Field::Date,
        "date",
        &[
            "year",
            "date",
            "pubyear",
            "publicationyear",
            "yearofpublication",
            "originalpublicationyear",
            "pubdate",
            "publicationdate",
            "publisheddate",
            "datepublished",
            "published",
            "firstpub",
            "inferreddate",
            "imprintdate",
            "jahr",
            "erscheinungsjahr",
            "datum",
            "année",
            "annee",
            "anneedepublication",
            "año",
            "ano",
            "fecha",
            "anno",
            "data",
            "rok",
            "rokwydania",
            "år",
            "utgivningsår",
            "vuosi",
            "julkaisuvuosi",
            "év",
            "yıl",
            "год",
            "годиздания",
            "дата",
            "έτος",
            "שנה",
            "年",
            "出版年",
            "刊行年",
            "発行年",
            "出版日期",
            "연도",
            "출판년도",
            "السنة",
            "वर्ष",
            "jaar",
            "issued",
            "leto",
        ],
    ),
    (
        Field::Volume,
        "volume",
        &[
            "volume",
            "vol",
            "volumes",
            "volumenumber",
            "enumcron",
            "enumeration",
            "band",
            "bandnummer",
            "tome",
            "tomo",
            "volumen",
            "tom",
            "deel",
            "del",
            "osa",
            "kötet",
            "cilt",
            "том",
            "часть",
            "τόμος",
            "כרך",
            "חלק",
            "巻",
            "卷",
            "册",
            "冊",
            "권",
            "المجلد",
            "part",
        ],
    ),
    (
        Field::Edition,
        "edition",
        &[
            "edition",
            "ed",
            "auflage",
            "ausgabe",
            "édition",
            "edición",
            "edicion",
            "edição",
            "edizione",
            "wydanie",
            "vydání",
            "utgåva",
            "upplaga",
            "udgave",
            "druk",
            "editie",
            "painos",
            "kiadás",
            "baskı",
            "издание",
            "έκδοση",
            "מהדורה",
            "版",
            "版本",
            "版次",
            "판",
            "الطبعة",
        ],
    ),
    (
        Field::Publisher,
        "publisher",
        &[
            "publisher",
            "publishers",
            "imprint",
            "verlag",
            "éditeur",
            "editeur",
            "editorial",
            "editora",
            "editore",
            "casaeditrice",
            "wydawca",
            "wydawnictwo",
            "vydavatel",
            "nakladatel",
            "förlag",
            "forlag",
            "forlagnavn",
            "uitgever",
            "uitgeverij",
            "kustantaja",
            "kiadó",
            "yayınevi",
            "издательство",
            "издатель",
            "εκδότης",
            "הוצאה",
            "מוצילאור",
            "出版社",
            "出版者",
            "発行所",
            "출판사",
            "الناشر",
        ],
    ),
    (
        Field::Series,
        "series",
        &[
            "series",
            "seriestitle",
            "reihe",
            "serie",
            "serientitel",
            "série",
            "collection",
            "colección",
            "coleção",
            "collana",
            "seria",
            "edice",
            "reeks",
            "sarja",
            "sorozat",
            "dizi",
            "серия",
            "σειρά",
            "סדרה",
            "丛书",
            "叢書",
            "シリーズ",
            "총서",
            "السلسلة",
        ],
    ),
    (
        Field::Language,
        "language",
        &[
            "language",
            "languages",
            "languagecode",
            "lang",
            "sprache",
            "langue",
            "idioma",
            "lingua",
            "język",
            "jazyk",
            "språk",
            "sprog",
            "taal",
            "kieli",
            "nyelv",
            "dil",
            "язык",
            "γλώσσα",
            "שפה",
            "语言",
            "語言",
            "言語",
            "언어",
            "اللغة",
            "भाषा",
        ],
    ),
    (Field::Isbn, "isbn", &["isbn", "isbns", "isbn10", "isbn13", "isbn10s", "isbn13s"]),
    (Field::Doi, "doi", &["doi", "dois"]),
    (Field::Oclc, "oclc", &["oclc", "oclcnumber", "oclcno", "oclcnum", "worldcat", "worldcatid", "ocn"]),
    (Field::Lccn, "lccn", &["lccn", "lccns", "lccontrolnumber"]),
    (
        Field::Id,
        "id",
        &[
            "id",
            "key",
            "identifier",
            "recordid",
            "recordno",
            "recordnumber",
            "bookid",
            "itemid",
            "textid",
            "docid",
            "number",
            "no",
            "nr",
            "nummer",
            "signatur",
            "numéro",
            "controlnumber",
            "text",
            "etextnumber",
            "ident",
            "uid",
            "ppn",
            "htid",
            "作品id",
        ],
    ),
    (
        Field::Category,
        "category",
        &[
            "category",
            "categories",
            "subject",
            "subjects",
            "genre",
            "genres",
            "class",
            "classification",
            "topic",
            "topics",
            "keyword",
            "keywords",
            "tags",
            "shelf",
            "bookshelves",
            "ddc",
            "dewey",
            "schlagwort",
            "schlagworte",
            "schlagwörter",
            "thema",
            "sachgebiet",
            "kategorie",
            "sujet",
            "sujets",
            "catégorie",
            "categoría",
            "categoria",
            "materia",
            "soggetto",
            "genere",
            "ämne",
            "onderwerp",
            "рубрика",
            "тема",
            "жанр",
            "נושא",
            "分类",
            "分類",
            "主题",
            "主題",
            "ジャンル",
            "분류",
        ],
    ),
];

/// Which column a person says is a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The field.
    pub field: Field,
    /// The column: what its header says, or its number from 1.
    pub column: String,
}

/// Which column is which field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnMap {
    /// The field, and the column from 0, in the order of columns.
    fields: Vec<(Field, usize)>,
    header: Vec<String>,
}

impl Field {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        NAMES.iter().find(|(field, ..)| *field == self).map_or("", |(_, name, _)| name)
    }

    /// The field of a name as a person or a header may write it: `title`, `Titel`, `Book-Title`.
    pub fn parse(name: &str) -> Option<Field> {
        let plain = plain(name);
        NAMES
            .iter()
            .find(|(_, name, names)| *name == plain || names.contains(&plain.as_str()))
            .map(|(f, ..)| *f)
    }
}

impl Column {
    /// Reads `title=COLUMN`.
    pub fn parse(text: &str) -> Result<Column, Failure> {
        let known = || NAMES.iter().map(|(_, name, _)| *name).collect::<Vec<_>>().join(", ");
        let (field, column) = text
            .split_once('=')
            .filter(|(_, column)| !column.trim().is_empty())
            .ok_or_else(|| Failure::unsupported(format!("'{}' is not FIELD=COLUMN", printable(text))))?;
        let field = Field::parse(field).ok_or_else(|| {
            Failure::unsupported(format!("no field is called '{}'; known are {}", printable(field), known()))
        })?;
        Ok(Column { field, column: column.trim().to_owned() })
    }
}

impl ColumnMap {
    /// What a header row says, and then what a person says. Gives whether the row is a header: one that names no field
    /// is a row of values, and columns can only be named by number.
    pub(super) fn of(row: &[&str], columns: &[Column]) -> Result<(ColumnMap, bool), Failure> {
        let guessed: Vec<(Field, usize)> =
            row.iter().enumerate().filter_map(|(at, name)| Some((Field::parse(name)?, at))).collect();
        let names_one = |column: &Column| row.iter().any(|name| plain(name) == plain(&column.column));
        let is_telling = guessed.len() >= 2 || guessed.iter().any(|(field, _)| *field == Field::Title);
        let is_header = is_telling || columns.iter().any(names_one);
        let guessed = if is_header { guessed } else { Vec::new() };
        let header = if is_header { row.iter().map(|name| (*name).to_owned()).collect() } else { Vec::new() };
        let mut map = ColumnMap { fields: guessed, header };
        map.fields.retain(|(field, _)| columns.iter().all(|column| column.field != *field));
        for column in columns {
            let at = map.place(&column.column).ok_or_else(|| map.no_column(&column.column))?;
            map.fields.retain(|(_, other)| *other != at);
            map.fields.push((column.field, at));
        }
        map.fields.sort_by_key(|(_, at)| *at);
        let is_enough = map.fields.iter().any(|(field, _)| {
            matches!(field, Field::Title | Field::Isbn | Field::Doi | Field::Oclc | Field::Lccn)
        });
        if is_enough { Ok((map, is_header)) } else { Err(no_title(row)) }
    }

    /// The column of a name or number.
    fn place(&self, column: &str) -> Option<usize> {
        let exact = self.header.iter().position(|name| name.trim() == column);
        let alike =
            || self.header.iter().position(|name| !plain(name).is_empty() && plain(name) == plain(column));
        let number = || {
            column.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).filter(|at| *at < 10_000)
        };
        exact.or_else(alike).or_else(number)
    }

    fn no_column(&self, column: &str) -> Failure {
        let column = printable(column);
        if self.header.is_empty() {
            return Failure::unsupported(format!(
                "the table has no header: '{column}' must be the number of a column"
            ));
        }
        Failure::unsupported(format!("no column is called '{column}'; there are {}", listed(&self.header)))
    }

    /// The field of each column that is used, and what the header says of it or its number.
    pub fn columns(&self) -> impl Iterator<Item = (Field, String)> {
        self.fields.iter().map(|(field, at)| {
            let name =
                self.header.get(*at).map(|name| printable(name.trim())).filter(|name| !name.is_empty());
            (*field, name.unwrap_or_else(|| format!("column {}", at + 1)))
        })
    }

    /// How many columns the header has; 0 without a header.
    pub(super) fn n_columns(&self) -> usize {
        self.header.len()
    }

    /// What a row says.
    pub(super) fn record(&self, row: &[&str]) -> Found {
        let mut found = Found::default();
        for (field, at) in &self.fields {
            if let Some(value) = row.get(*at) {
                found.put_cell(*field, value);
            }
        }
        found
    }
}

/// One line a column: `title <- Titel`.
impl fmt::Display for ColumnMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (field, name)) in self.columns().enumerate() {
            let line_end = if at > 0 { "\n" } else { "" };
            write!(f, "{line_end}{} <- {name}", field.as_str())?;
        }
        Ok(())
    }
}

fn no_title(row: &[&str]) -> Failure {
    let columns = listed(&row.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    Failure::unsupported(format!(
        "no column is known as the title; say which: title=COLUMN; there are {columns}"
    ))
}

/// The first columns, cut short.
fn listed(names: &[String]) -> String {
    let cut = |name: &String| printable(&name.trim().chars().take(30).collect::<String>());
    let mut list: Vec<String> = names.iter().take(20).map(cut).collect();
    if names.len() > list.len() {
        list.push("…".to_owned());
    }
    list.join(", ")
}

/// Lower case, letters, marks and digits only: `Book-Title` is `booktitle`.
fn plain(name: &str) -> String {
    name.chars().take(60).flat_map(char::to_lowercase).filter(is_told).collect()
}

fn is_told(c: &char) -> bool {
    c.is_alphanumeric() || !(c.is_ascii() || c.is_whitespace() || c.is_control())
}
