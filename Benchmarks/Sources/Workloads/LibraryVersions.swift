import Baselines

/// The versions of the measured libraries.
public enum LibraryVersions {
    /// The versions by library name.
    public static var all: [String: String] {
        [
            "SQLite": String(cString: bl_sqlite_version()),
            "LMDB": String(cString: bl_lmdb_version()),
            "libxml2": String(cString: bl_xml_version()), "GRDB": "7.10.0",
        ]
    }
}
