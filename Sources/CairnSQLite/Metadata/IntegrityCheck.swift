import CairnModel
import CairnStore

extension SQLiteStore {
    /// Has SQLite itself check the file: its pages, and each index against its table.
    ///
    /// Names at most 100 disagreements. Takes as long as reading the whole file a few times.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt` where not even that can be read, `.engineFailure`.
    public func findDisagreements() throws(StoreError) -> [StoreDisagreement] {
        try readers.checkOut().withConnection { (connection) throws(StoreError) in
            let check = try connection.statement("PRAGMA integrity_check(100)")
            var found: [StoreDisagreement] = []
            while try check.step() {
                guard let detail = check.text(at: 0), detail != "ok" else { continue }
                found.append(StoreDisagreement(place: "the SQLite file", detail: detail))
            }
            return found
        }
    }
}
