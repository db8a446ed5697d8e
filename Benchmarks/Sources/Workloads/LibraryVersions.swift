import Baselines

/// Which versions of the libraries a run measures.
public enum LibraryVersions {
    /// By name.
    public static var all: [String: String] {
        [
            "SQLite": String(cString: bl_sqlite_version()),
            "LMDB": String(cString: bl_lmdb_version()),
            "libxml2": String(cString: bl_xml_version()), "GRDB": "7.10.0",
        ]
    }
}
