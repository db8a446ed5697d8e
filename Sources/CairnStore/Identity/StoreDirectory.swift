import CairnModel
import Synchronization

/// The stores that this process has opened, by the numbers in their objects' IDs.
///
/// Grows with each store identifier and location ever opened, and never shrinks: an ID stays
/// printable after its store was closed.
public final class StoreDirectory: Sendable {
    /// The one of this process; ``StoreNumber``s mean something only in it.
    public static let shared = StoreDirectory()

    /// What is known of a store by its number.
    public struct Entry: Sendable {
        /// Upper-case UUID; empty for a space of temporary IDs.
        public let identifier: String
        /// Names of the entities by number, from 1.
        let entityNames: [String]

        /// Returns the name of the entity with that number; nil where there is none.
        public func name(of entity: EntityNumber) -> String? {
            let index = Int(entity.rawValue) - 1
            return entityNames.indices.contains(index) ? entityNames[index] : nil
        }
    }

    private struct Key: Hashable {
        let identifier: String
        let location: StoreLocation
        let entityNames: [String]
    }

    private struct State {
        var numbers: [Key: StoreNumber] = [:]
        var entries: [UInt32: Entry] = [:]
        var nextStore: UInt32 = 1
        var nextTemporary: UInt32 = 0x8000_0001
    }

    private let state = Mutex(State())

    /// Returns the number of a store, a new one the first time it is asked.
    ///
    /// A store that is opened with models that number its entities differently has a number for each
    /// numbering: the entities in its objects' IDs are those of one of them.
    ///
    /// - Parameter model: names the entities in URIs.
    public func number(
        identifier: String, location: StoreLocation, model: ManagedObjectModel
    ) -> StoreNumber {
        let entry = Entry(identifier: identifier, entityNames: model.entities.map(\.name))
        return state.withLock { state in
            let key = Key(
                identifier: identifier, location: location, entityNames: entry.entityNames)
            let number = state.numbers[key] ?? StoreNumber(rawValue: state.nextStore)
            if state.numbers.updateValue(number, forKey: key) == nil { state.nextStore += 1 }
            state.entries[number.rawValue] = entry
            return number
        }
    }

    /// Returns a new space of temporary IDs for objects of the model.
    public func temporarySpace(model: ManagedObjectModel) -> StoreNumber {
        let entry = Entry(identifier: "", entityNames: model.entities.map(\.name))
        return state.withLock { state in
            let number = StoreNumber(rawValue: state.nextTemporary)
            state.nextTemporary += 1
            state.entries[number.rawValue] = entry
            return number
        }
    }

    /// Returns what is known of a store; nil for a number this process never gave.
    public func entry(for number: StoreNumber) -> Entry? {
        state.withLock { $0.entries[number.rawValue] }
    }
}
