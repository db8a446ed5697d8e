import CairnModel
import CairnSQLite
import CairnStore

extension Flaw {
    static let ofCursors: [Flaw] = [
        Flaw("goes on with the newest cursor only", noticedBy: "fetching") {
            $0.cursors = .onlyTheNewestGoesOn
        },
        Flaw("says something else of a plan once it is read", noticedBy: "fetching") {
            $0.cursors = .forgetWhatTheyClaimed
        },
        Flaw("ends a fetch quietly at a pattern that takes too many steps", noticedBy: "fetching") {
            $0.cursors = .endQuietlyAtErrors
        },
        Flaw("ends every fetch of a cancelled task", noticedBy: "fetching") {
            $0.asked = { $0.isCancellable = true }
        },
        Flaw("says nothing of itself while a save is begun", noticedBy: "concurrency") {
            $0.metadataDuringSave = .isRefused
        },
        Flaw("shows metadata before its commit", noticedBy: "concurrency") {
            $0.metadataDuringSave = .showsWhatIsPrepared
        },
    ]

    static let ofOwners: [Flaw] = [
        Flaw("takes owners of other stores for its own", noticedBy: "relationships") {
            $0.owners = { ids, packing in
                ids.map { id in
                    ObjectID(
                        store: packing.store.number, rootEntity: id.rootEntity, entity: id.entity,
                        key: id.key)
                }
            }
        },
        Flaw("knows owners by their keys alone", noticedBy: "relationships") {
            $0.owners = { ids, _ in
                guard let last = ids.last else { return ids }
                return ids.map { id in
                    ObjectID(
                        store: id.store, rootEntity: last.rootEntity, entity: last.entity,
                        key: id.key)
                }
            }
        },
        Flaw("finds members only under the owner's concrete entity", noticedBy: "relationships") {
            $0.owners = { ids, packing in
                ids.map { id in
                    let row = try? packing.stored(id)
                    if row?.entity == id.entity { return id }
                    return ObjectID(
                        store: id.store, rootEntity: id.rootEntity, entity: id.entity, key: -1)
                }
            }
        },
    ]

    static let ofClosing: [Flaw] = [
        Flaw("finds no row once it is closed", noticedBy: "opening") { $0.closing = .hidesRows },
        Flaw("acknowledges a save after it was closed", noticedBy: "opening") {
            $0.closing = .acknowledgesSaves
        },
        Flaw("takes a save that its reporter ends for a failure", noticedBy: "saving") {
            $0.refused = { error in
                guard case .cancelled = error else { return error }
                return .keysExhausted(entity: "Album")
            }
        },
        Flaw("takes a file without a name for a failure", noticedBy: "files") {
            $0.engine = SQLiteStore.self
            $0.refused = { error in
                guard case .fileRemoved(let location, _) = error else { return error }
                return .corrupt(location, location: "the file", detail: "it cannot be read")
            }
        },
        Flaw("takes a file that was replaced for a failure", noticedBy: "files") {
            $0.engine = SQLiteStore.self
            $0.refused = { error in
                guard case .fileReplaced(let location, _) = error else { return error }
                return .corrupt(location, location: "the file", detail: "it cannot be read")
            }
        },
        Flaw("looks for every location among its files", noticedBy: "files") {
            $0.engine = SQLiteStore.self
            $0.missesOtherLocations = true
        },
    ]
}
