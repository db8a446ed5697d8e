import CairnModel
import CairnSQLite
import Foundation

extension Flaw {
    static let ofFiles: [Flaw] = [
        Flaw("makes a store of any file") {
            $0.engine = SQLiteStore.self
            $0.openingAsAWhole = .replacesForeignFiles
        },
        Flaw("takes a file without a name for a failure") {
            $0.engine = SQLiteStore.self
            $0.refused = { error in
                guard case .fileRemoved(let location, _) = error else { return error }
                return .corrupt(location, location: "the file", detail: "it cannot be read")
            }
        },
        Flaw("takes a file that was replaced for a failure") {
            $0.engine = SQLiteStore.self
            $0.refused = { error in
                guard case .fileReplaced(let location, _) = error else { return error }
                return .corrupt(location, location: "the file", detail: "it cannot be read")
            }
        },
        Flaw("empties a damaged file before exclusive use") {
            $0.engine = SQLiteStore.self
            $0.exclusiveUse = .emptiesUnknownFiles
        },
        Flaw("looks for every location among its files") {
            $0.engine = SQLiteStore.self
            $0.missesOtherLocations = true
        },
        Flaw("gives every store a new identifier") {
            $0.engine = SQLiteStore.self
            $0.opening = { $0.newStoreIdentifier = nil }
        },
        Flaw("takes the escaped form of a path for the path") {
            $0.engine = SQLiteStore.self
            $0.opening = { request in
                guard let url = request.location.fileURL else { return }
                request.location = .file(URL(fileURLWithPath: url.path(percentEncoded: true)))
            }
        },
    ]
}
