import CairnModel
import Synchronization

/// The stores that this process has opened. Each store is found by its number, which the IDs of its
/// objects contain.
///
/// The directory grows with every new combination of store identifier, location and entity
/// numbering, and never shrinks, so that IDs can be printed after their store has been closed.
public final class StoreDirectory: Sendable {
    /// The directory of this process. A ``StoreNumber`` is meaningful only in this directory.
    public static let shared = StoreDirectory()

    /// The known facts about a store.
    package struct Entry: Sendable {
        /// The store's identifier, an upper-case UUID. Empty for a space of temporary IDs.
        package let identifier: String
        /// Where the store was when it was last opened, or `nil` for a space of temporary IDs.
        package let location: StoreLocation?
        /// The names of the entities in the order of their numbers (number 1 at index 0).
        let entityNames: [String]

        /// Returns the name of the entity with that number, or `nil` if the number is unknown.
        package func name(of entity: EntityNumber) -> String? {
            let index = Int(entity.rawValue) - 1
            return entityNames.indices.contains(index) ? entityNames[index] : nil
        }
    }

    private struct Key: Hashable {
        let identifier: String
        let location: StoreLocation
        let entityNames: [String]
    }

    /// A store that takes over the number of another store, because it gets the same objects.
    private struct Succession {
        let number: StoreNumber
        /// The new store. `nil` until it is opened.
        var successor: (key: Key, entry: Entry)?
    }

    private struct State {
        var numbers: [Key: StoreNumber] = [:]
        var entries: [UInt32: Entry] = [:]
        /// The stores that are being replaced, by the locations of the stores that replace them.
        var successions: [StoreLocation: Succession] = [:]
        var nextStore: UInt32 = 1
        var nextTemporary: UInt32 = 0x8000_0001
    }

    private let state = Mutex(State())

    /// Returns the number of a store. Assigns a new number the first time it is called for a store.
    ///
    /// A store that is opened with several models has one store number for each different numbering
    /// of its entities, because an object ID also contains an entity number.
    ///
    /// - Parameters:
    ///   - identifier: the identifier in the store's metadata.
    ///   - location: the location of the store. A copy of a store at another location has a number
    ///     of its own.
    ///   - model: the model that provides the names of the entities in URIs.
    public func number(
        identifier: String, location: StoreLocation, model: ManagedObjectModel
    ) -> StoreNumber {
        let entry = Entry(
            identifier: identifier, location: location, entityNames: model.entities.map(\.name))
        return state.withLock { state in
            let key = Key(
                identifier: identifier, location: location, entityNames: entry.entityNames)
            if var succession = state.successions[location], state.numbers[key] == nil,
                state.entries[succession.number.rawValue]?.entityNames == entry.entityNames
            {
                succession.successor = (key, entry)
                state.successions[location] = succession
                state.numbers[key] = succession.number
            }
            if let succession = state.successions[location], succession.successor?.key == key {
                // Until the succession has ended, the number describes the old store.
                return succession.number
            }
            let number = state.numbers[key] ?? StoreNumber(rawValue: state.nextStore)
            if state.numbers.updateValue(number, forKey: key) == nil { state.nextStore += 1 }
            state.entries[number.rawValue] = entry
            return number
        }
    }

    /// Gives the next new store at a location the number of another store, because it gets that store's
    /// objects. The IDs of these objects then lead to the new store. Until ``endSuccession(at:isComplete:)``
    /// is called, the number still describes the old store.
    package func beginSuccession(of number: StoreNumber, at location: StoreLocation) {
        state.withLock { $0.successions[location] = Succession(number: number) }
    }

    /// Ends a succession. If it is complete, the number describes the new store from now on, and the old
    /// store gets another number when it is opened again. Otherwise, nothing has changed.
    package func endSuccession(at location: StoreLocation, isComplete: Bool) {
        state.withLock { state in
            guard let succession = state.successions.removeValue(forKey: location),
                let (key, entry) = succession.successor
            else { return }
            if isComplete {
                state.numbers = state.numbers.filter {
                    $0.value != succession.number || $0.key == key
                }
                state.entries[succession.number.rawValue] = entry
            } else {
                state.numbers[key] = nil
            }
        }
    }

    /// Returns a new space of temporary IDs for objects of the model.
    package func temporarySpace(model: ManagedObjectModel) -> StoreNumber {
        let entry = Entry(
            identifier: "", location: nil, entityNames: model.entities.map(\.name))
        return state.withLock { state in
            let number = StoreNumber(rawValue: state.nextTemporary)
            state.nextTemporary += 1
            state.entries[number.rawValue] = entry
            return number
        }
    }

    /// Returns the known facts about a store, or `nil` for a number that this process never
    /// assigned.
    package func entry(for number: StoreNumber) -> Entry? {
        state.withLock { $0.entries[number.rawValue] }
    }
}
