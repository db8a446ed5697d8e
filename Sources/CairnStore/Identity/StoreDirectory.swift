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
        /// Where the store was when it was last opened. `nil` for a space of temporary IDs.
        package let location: StoreLocation?
        /// Names of the entities by number, from 1.
        let entityNames: [String]
        /// `nil` for a store whose objects are identified by numbers.
        var references: StoreReferences?

        /// Returns the name of the entity with that number. Returns `nil` if there is no such
        /// entity.
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

    /// Which table of references is meant.
    private struct TableKey: Hashable {
        let identifier: String
        let location: StoreLocation
        let root: String
        let kind: ReferenceObject.Kind
    }

    private struct State {
        var numbers: [Key: StoreNumber] = [:]
        var entries: [UInt32: Entry] = [:]
        var tables: [TableKey: ReferenceTable] = [:]
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
        var entry = Entry(
            identifier: identifier, location: location, entityNames: model.entities.map(\.name))
        return state.withLock { state in
            let key = Key(
                identifier: identifier, location: location, entityNames: entry.entityNames)
            let number = state.numbers[key] ?? StoreNumber(rawValue: state.nextStore)
            if state.numbers.updateValue(number, forKey: key) == nil { state.nextStore += 1 }
            entry.references = state.entries[number.rawValue]?.references
            state.entries[number.rawValue] = entry
            return number
        }
    }

    /// Returns the references of a store whose objects are not all identified by numbers, and keeps
    /// them for as long as the process runs.
    ///
    /// All handles of the store share them, whatever model they were opened with: so a reference has
    /// one number in all of them, also after the store is closed and opened again.
    ///
    /// - Parameters:
    ///   - kinds: what the objects are identified by, by the name of the root entity. Entities that are
    ///     missing are identified by numbers.
    ///   - boundLater: the root entities whose new objects get their references from their values:
    ///     see ``ReferenceBindings``. References of the others are made when keys are reserved.
    ///   - identifier: the store's.
    ///   - location: where the store is.
    ///   - model: the one that the store was opened with.
    ///   - number: the number that ``number(identifier:location:model:)`` returned for the three.
    public func references(
        of kinds: [String: ReferenceObject.Kind], boundLater: Set<String> = [],
        identifier: String, location: StoreLocation, model: ManagedObjectModel,
        number: StoreNumber
    ) -> StoreReferences {
        let later = boundLater.compactMap { model.entity(named: $0)?.number }
        return state.withLock { state in
            var tables: [EntityNumber: ReferenceTable] = [:]
            for entity in model.entities where entity.superentity == nil {
                guard let kind = kinds[entity.name] else { continue }
                let key = TableKey(
                    identifier: identifier, location: location, root: entity.name, kind: kind)
                let table =
                    state.tables[key] ?? ReferenceTable(entity: entity.name, kind: kind)
                state.tables[key] = table
                tables[entity.number] = table
            }
            let references = StoreReferences(tables, boundLater: Set(later))
            state.entries[number.rawValue]?.references = references
            return references
        }
    }

    /// Returns the references of a store's objects. Returns `nil` if they are identified by numbers.
    public func references(of number: StoreNumber) -> StoreReferences? {
        entry(for: number)?.references
    }

    /// Returns a new space of temporary IDs for objects of the model.
    public func temporarySpace(model: ManagedObjectModel) -> StoreNumber {
        let entry = Entry(
            identifier: "", location: nil, entityNames: model.entities.map(\.name))
        return state.withLock { state in
            let number = StoreNumber(rawValue: state.nextTemporary)
            state.nextTemporary += 1
            state.entries[number.rawValue] = entry
            return number
        }
    }

    /// Returns what is known of a store. Returns `nil` for a number that this process never gave.
    public func entry(for number: StoreNumber) -> Entry? {
        state.withLock { $0.entries[number.rawValue] }
    }
}
