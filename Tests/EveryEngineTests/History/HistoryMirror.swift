import Cairn
import Foundation
import GraphSupport

/// The values of a graph, which are read again only if the history says that they changed.
struct HistoryMirror {
    /// What a planted mistake does to the history.
    enum Defect: CaseIterable, Sendable {
        /// Every seventh change is left out.
        case leavesOutChanges
        /// Updates become insertions without properties.
        case losesProperties
        /// Deletions become updates.
        case mistakesDeletions
        /// Every fifth transaction is skipped.
        case readsTooLate
    }

    private let coordinator: PersistentStoreCoordinator
    private let defect: Defect?
    private var token: PersistentHistoryToken?
    /// The values by property name, as text.
    private var objects: [ObjectID: [String: String]] = [:]
    private(set) var transactionCount = 0
    /// The number of changes by kind.
    private(set) var changeCounts: [String: Int] = [:]
    private var changeCount = 0
    private let handle: ContextHandle

    init(_ coordinator: PersistentStoreCoordinator, defect: Defect? = nil) {
        self.coordinator = coordinator
        self.defect = defect
        handle = ContextHandle(coordinator: coordinator)
    }

    /// Reads the new transactions, a few at a time, and applies them.
    mutating func update() throws {
        while true {
            let page = try coordinator.history(after: token, limit: 3)
            guard let last = page.last else { return }
            for transaction in page {
                transactionCount += 1
                if defect == .readsTooLate, transactionCount.isMultiple(of: 5) { continue }
                for change in transaction.changes { try apply(change) }
            }
            token = last.token
        }
    }

    private mutating func apply(_ change: PersistentHistoryChange) throws {
        changeCount += 1
        changeCounts["\(change.changeType)", default: 0] += 1
        if defect == .leavesOutChanges, changeCount.isMultiple(of: 7) { return }
        let id = change.changedObjectID
        switch change.changeType {
        case .delete where defect == .mistakesDeletions: break
        case .delete: objects[id] = nil
        case .insert: objects[id] = try read(id, nil)
        case .update:
            let names = defect == .losesProperties ? [] : change.updatedProperties
            let values = try read(id, names) ?? [:]
            objects[id]?.merge(values) { _, new in new }
        }
    }

    /// Returns values of an object as the store has them now. Returns `nil` if it has been deleted.
    private func read(_ id: ObjectID, _ names: Set<String>?) throws -> [String: String]? {
        try handle.performAndWait { context in
            context.reset()
            guard let object = try? context.existingObject(with: id) else { return nil }
            return try Self.values(of: object, names)
        }
    }

    private static func values(
        of object: ManagedObject, _ names: Set<String>?
    ) throws -> [String: String] {
        var values: [String: String] = [:]
        for property in object.entity.properties where names?.contains(property.name) ?? true {
            values[property.name] = try text(of: property, object)
        }
        return values
    }

    private static func text(of property: Property, _ object: ManagedObject) throws -> String {
        guard case .relationship(let relationship) = property else {
            return "\(try object.value(forKey: property.name) ?? "nil")"
        }
        if relationship.isToMany {
            let keys =
                relationship.isOrdered
                ? try object.orderedObjects(relationship.name).map(\.objectID.key)
                : try object.objects(relationship.name).map(\.objectID.key).sorted()
            return keys.map { "\($0)" }.joined(separator: " ")
        }
        let other = try object.value(forKey: relationship.name) as? ManagedObject
        return other.map { "\($0.objectID.key)" } ?? "nil"
    }

    /// Compares all objects of the stores with the mirror.
    ///
    /// The members of a team are known from the members' side. The history says only in which order
    /// they are.
    func differences() throws -> [String] {
        let stored = try handle.performAndWait { context in
            context.reset()
            var stored: [ObjectID: [String: String]] = [:]
            for (entity, members) in [("Person", "tags"), ("Team", "people"), ("Tag", "people")] {
                var request = FetchRequest<ManagedObject>(entity)
                request.relationshipKeyPathsForPrefetching = [members]
                for object in try context.fetch(request) {
                    stored[object.objectID] = try Self.values(of: object, nil)
                }
            }
            return stored
        }
        var found: [String] = []
        for id in Set(stored.keys).union(objects.keys) {
            var mirrored = objects[id]
            if let known = mirrored?["people"], mirrored?["tags"] == nil {
                mirrored?["people"] = withoutStrangers(known, of: id)
            }
            if stored[id] != mirrored {
                found.append(
                    "\(id.key): \(describe(stored[id])), but \(describe(mirrored))")
            }
        }
        return found
    }

    /// Removes people that are gone, or whose team is another one.
    private func withoutStrangers(_ members: String, of id: ObjectID) -> String {
        let team = coordinator.managedObjectModel.entity(numbered: id.entity)?.name == "Team"
        return members.split(separator: " ").filter { key in
            objects.contains { other, values in
                other.store == id.store && "\(other.key)" == key && values["tags"] != nil
                    && (!team || values["team"] == "\(id.key)")
            }
        }.joined(separator: " ")
    }

    private func describe(_ values: [String: String]?) -> String {
        values.map { "\($0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })" } ?? "none"
    }
}
