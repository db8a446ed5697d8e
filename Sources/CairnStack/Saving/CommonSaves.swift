import CairnModel
import CairnStore
import Foundation

/// What two stores know of the saves that they had in common.
///
/// Each save to several durable stores records in each of them, for every other one, the save's name and how many
/// saves the two have had in common. All participants get a save or none does, so both always have the same record.
/// If the records differ, one of the stores was restored or replaced alone.
package struct CommonSaves: Sendable, Equatable {
    /// The beginning of the name of a metadata value. The identifier of the other store follows.
    private static let prefix = "CairnSavedWith-"

    private var count: Int64
    private var latest: SaveID

    private static func name(of identifier: String) -> String { prefix + identifier }

    /// Reads what a store knows of the saves that it had in common with another one. Returns `nil` if it knows of
    /// none.
    private init?(in values: [String: MetadataValue], with identifier: String) {
        guard case .string(let text)? = values[Self.name(of: identifier)] else { return nil }
        let parts = text.split(separator: " ")
        guard parts.count == 2, let count = Int64(parts[0]),
            let id = UUID(uuidString: "\(parts[1])")
        else { return nil }
        (self.count, latest) = (count, SaveID(id))
    }

    private init(count: Int64, latest: SaveID) {
        (self.count, self.latest) = (count, latest)
    }

    private var stored: MetadataValue { .string("\(count) \(latest)") }

    /// Adds the records of a save to its parts.
    ///
    /// - Parameters:
    ///   - id: The name of the save.
    ///   - saves: The parts of all durable stores. They have been begun, so that no other save changes the records.
    static func record(_ id: SaveID, in saves: [StoreSave]) throws(StoreError) {
        let values = try saves.map { save throws(StoreError) in
            try save.attached.store.metadata().values
        }
        for (index, save) in saves.enumerated() {
            for other in saves.indices where other != index {
                let identifiers = (save.attached.identifier, saves[other].attached.identifier)
                let known = [
                    CommonSaves(in: values[index], with: identifiers.1),
                    CommonSaves(in: values[other], with: identifiers.0),
                ]
                let count = known.reduce(0) { max($0, $1?.count ?? 0) }
                save.request.metadata[name(of: identifiers.1)] =
                    CommonSaves(count: count &+ 1, latest: id).stored
            }
        }
    }

    /// Returns the metadata without the records, as programs see it.
    static func removed(from metadata: StoreMetadata) -> StoreMetadata {
        var metadata = metadata
        metadata.values = metadata.values.filter { !$0.key.hasPrefix(prefix) }
        return metadata
    }

    // MARK: Comparing

    /// A store, by what its errors and its records call it.
    package typealias Store = (location: StoreLocation, metadata: StoreMetadata)

    /// Returns a sentence that says that two stores do not belong together, and which of them is older if that is
    /// known. Returns `nil` if nothing is known to be wrong.
    ///
    /// Call this while no save to both stores is between its first and its last commit.
    package static func mismatch(_ first: Store, _ second: Store) -> String? {
        guard
            let ofFirst = CommonSaves(
                in: first.metadata.values, with: second.metadata.identifier),
            let ofSecond = CommonSaves(
                in: second.metadata.values, with: first.metadata.identifier),
            ofFirst != ofSecond
        else { return nil }
        guard ofFirst.count != ofSecond.count else {
            return
                "\(first.location) and \(second.location) do not belong together: they have different"
                + " latest saves in common. \(advice)"
        }
        let isFirstOlder = ofFirst.count < ofSecond.count
        let (older, newer) = isFirstOlder ? (first, second) : (second, first)
        let missing = abs(ofFirst.count - ofSecond.count)
        return
            "\(older.location) is older than \(newer.location): it lacks the last \(missing) of the saves"
            + " that were made to both. \(advice)"
    }

    private static let advice =
        "One of them was restored or replaced alone. Restore both from one backup."
}

extension PersistentStoreCoordinator {
    /// Reports if a store that was just added does not belong together with another one.
    func checkCommonSaves(of new: AttachedStore) {
        guard new.capabilities.isDurable else { return }
        for other in attachedStores where other !== new && other.capabilities.isDurable {
            // Usually they belong together, so no lock is needed to find out.
            guard (try? CommonSaves.mismatch(new.forComparison(), other.forComparison())) != nil
            else { continue }
            let files = [new, other].compactMap(\.unfinishedSaves.file)
            let finisher = [new, other].first { !$0.isReadOnly }
            let found = try? (finisher ?? new).unfinishedSaves.whileFinished(
                files, mayFinish: finisher != nil
            ) { () throws(StoreError) in
                CommonSaves.mismatch(try new.forComparison(), try other.forComparison())
            }
            if let found = found ?? nil { monitor.noteMismatch(found) }
        }
    }
}

extension AttachedStore {
    fileprivate func forComparison() throws(StoreError) -> CommonSaves.Store {
        (location, try store.metadata())
    }
}
