import CairnSQLite
import Foundation

extension Flaw {
    static let ofReopening: [Flaw] = [
        Flaw("reads entities by the numbers that they had") {
            $0.engine = SQLiteStore.self
            $0.openingAsAWhole = .readsByTheNumbersInTheStore
        },
        Flaw("forgets metadata when it is opened again") {
            $0.engine = SQLiteStore.self
            $0.described = { metadata, request in
                if !request.createsMissing { metadata.values = [:] }
            }
        },
        Flaw("compares the entities of other configurations") {
            $0.engine = SQLiteStore.self
            $0.opening = { request in
                guard let path = request.location.fileURL?.path, access(path, F_OK) == 0 else {
                    return
                }
                request.configuration = nil
            }
        },
        Flaw("saves to a store opened for reading") {
            $0.engine = SQLiteStore.self
            $0.opening = { request in if !request.createsMissing { request.isReadOnly = false } }
        },
    ]
}
