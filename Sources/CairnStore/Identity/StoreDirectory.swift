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
    public struct Entry: Sendable {
        /// The store's identifier, an upper-case UUID. Empty for a space of temporary IDs.
        public let identifier: String
        /// Where the store was when it was last opened, or `nil` for a space of temporary IDs.
        package let location: StoreLocation?
        /// The names of the entities in the order of their numbers (number 1 at index 0).
        let entityNames: [String]
        /// The references of the store's objects, or `nil` if the objects are identified by
        /// numbers.
        var references: StoreReferences?

        /// Returns the name of the entity with that number, or `nil` if the number is unknown.
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

    /// Identifies a table of references.
    private struct TableKey: Hashable {
        let identifier: String
        let location: StoreLocation
        let root: String
        let kind: ReferenceObject.Kind
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
        var tables: [TableKey: ReferenceTable] = [:]
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
        var entry = Entry(
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
            entry.references = state.entries[number.rawValue]?.references
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

    /// Returns the references of a store that identifies some or all objects by references instead
    /// of numbers. Keeps the references for as long as the process runs.
    ///
    /// All handles of the store share the references, regardless of the model that a handle was
    /// opened with. A reference therefore has the same number in all handles, even after the store
    /// was closed and opened again.
    ///
    /// - Parameters:
    ///   - kinds: the kind of reference for each root entity, by the entity's name. Objects of all
    ///     other entities are identified by numbers.
    ///   - boundLater: the root entities whose new objects get their references from their values:
    ///     see ``ReferenceBindings``. The references of all other new objects are created when keys
    ///     are reserved.
    ///   - identifier: the store's identifier.
    ///   - location: the store's location.
    ///   - model: the model that the store was opened with.
    ///   - number: the number that ``number(identifier:location:model:)`` returned for the
    ///     identifier, location and model.
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

    /// Returns the references of a store's objects, or `nil` if they are identified by numbers.
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

    /// Returns the known facts about a store, or `nil` for a number that this process never
    /// assigned.
    public func entry(for number: StoreNumber) -> Entry? {
        state.withLock { $0.entries[number.rawValue] }
    }
}
