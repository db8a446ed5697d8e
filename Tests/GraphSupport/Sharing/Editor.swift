import Cairn
import Foundation
import Synchronization

/// One of several programs, or one of several parts of a program, that edit the same stores: a context and
/// the children that it has at the moment.
///
/// It does what requests say, and reports what its context showed. It knows nothing of the other editors.
package final class Editor: @unchecked Sendable {
    // Unchecked because objects are used only in turns of their contexts, and an editor is used by one thread
    // at a time.

    private final class Layer: @unchecked Sendable {
        let handle: ContextHandle
        /// The objects that the editor holds, by number.
        var held: [Int: ManagedObject] = [:]
        /// The IDs of the parent's new objects, which have no URI yet.
        var parentIDs: [Int: ObjectID] = [:]

        init(_ handle: ContextHandle) { self.handle = handle }
    }

    private let coordinator: PersistentStoreCoordinator
    private let key: String
    private var layers: [Layer]

    package init(_ coordinator: PersistentStoreCoordinator, key: String) {
        self.coordinator = coordinator
        self.key = key
        layers = [
            Layer(ContextHandle(coordinator: coordinator))
        ]
    }

    package func perform(_ request: EditorRequest) throws -> EditorReply {
        switch request {
        case .edit(let edits, let uris, let inRoot):
            return try turn(inRoot ? layers[0] : layers[layers.count - 1]) { layer, context in
                var reply = EditorReply()
                for edit in edits {
                    reply.skipped.append(self.attempt(edit, uris, layer, context))
                }
                context.processPendingChanges()
                return reply
            }
        case .save(let policy): return try turn(layers[0]) { try self.save($0, $1, policy) }
        case .beginChild:
            let ids = try turn(layers[layers.count - 1]) { layer, context in
                context.processPendingChanges()
                return try self.newObjects(of: context).mapValues(\.objectID)
                    .merging(layer.parentIDs) { own, _ in own }
            }
            layers.append(Layer(ContextHandle(parent: layers[layers.count - 1].handle)))
            layers[layers.count - 1].parentIDs = ids
            return EditorReply()
        case .saveChild: return try saveChild()
        case .dropChild:
            if layers.count > 1 { layers.removeLast() }
            return EditorReply()
        case .reset:
            layers.removeSubrange(1...)
            return try turn(layers[0]) { layer, context in
                layer.held = [:]
                context.reset()
                return EditorReply()
            }
        case .rollback:
            layers.removeSubrange(1...)
            return try turn(layers[0]) { layer, context in
                context.rollback()
                layer.held = layer.held.filter { $0.value.managedObjectContext != nil }
                return EditorReply()
            }
        case .refreshAll:
            return try turn(layers[0]) { _, context in
                try context.refreshAllObjects()
                return EditorReply()
            }
        case .forget:
            for layer in layers {
                try turn(layer) { layer, _ in layer.held = layer.held.filter { $0.value.isInserted }
                }
            }
            return EditorReply()
        }
    }

    @discardableResult
    private func turn<Result: Sendable>(
        _ layer: Layer, _ body: @Sendable (Layer, ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try layer.handle.performAndWait { try body(layer, $0) }
    }

    // MARK: Editing

    /// Returns `nil`, or why the edit was not made.
    private func attempt(
        _ edit: SharedEdit, _ uris: [Int: String], _ layer: Layer, _ context: ManagedObjectContext
    ) -> String? {
        do {
            return try apply(edit, layer, context) { number in
                if let object = layer.held[number], object.managedObjectContext != nil {
                    return object
                }
                layer.held[number] = try find(number, uris, layer, context)
                return layer.held[number]
            }
        } catch let error as GraphError {
            return "\(Self.kind(of: error)): \(error)"
        } catch {
            return "\(error)"
        }
    }

    /// Returns an object as a fault, without reading it.
    private func find(
        _ number: Int, _ uris: [Int: String], _ layer: Layer, _ context: ManagedObjectContext
    ) throws -> ManagedObject? {
        if let id = uris[number].flatMap({ URL(string: $0) }).flatMap(
            coordinator.managedObjectID(forURIRepresentation:))
        {
            return try context.object(with: id)
        }
        return try layer.parentIDs[number].map { try context.object(with: $0) }
    }

    private func apply(
        _ edit: SharedEdit, _ layer: Layer, _ context: ManagedObjectContext,
        _ find: (Int) throws -> ManagedObject?
    ) throws -> String? {
        let numbers = edit.numbers
        var objects: [ManagedObject] = []
        for number in numbers {
            guard let object = try find(number) else { return "unknown: \(number)" }
            if object.isDeleted { return "deleted: \(number)" }
            objects.append(object)
        }
        switch edit {
        case .insert(let number, let entity, let store, let links):
            let object = try context.insertNewObject(forEntityName: entity)
            try object.setValue(number, forKey: key)
            for (relationship, other) in links {
                try object.setValue(find(other), forKey: relationship)
            }
            if let store { try context.assign(object, to: coordinator.persistentStores[store]) }
            layer.held[number] = object
        case .set(_, let attribute, let value): try objects[0].setValue(value, forKey: attribute)
        case .setOne(_, let relationship, let other):
            try objects[0].setValue(other == nil ? nil : objects[1], forKey: relationship)
        case .add(_, let relationship, _):
            if objects[0].entity.relationship(named: relationship)?.isOrdered == true {
                try objects[0].orderedObjects(relationship).append(objects[1])
            } else {
                let members: ObjectSet<ManagedObject> = try objects[0].objects(relationship)
                try members.insert(objects[1])
            }
        case .remove(_, let relationship, _):
            if objects[0].entity.relationship(named: relationship)?.isOrdered == true {
                try objects[0].orderedObjects(relationship).remove(objects[1])
            } else {
                let members: ObjectSet<ManagedObject> = try objects[0].objects(relationship)
                try members.remove(objects[1])
            }
        case .rotate(_, let relationship):
            let members: OrderedObjects<ManagedObject> = try objects[0].orderedObjects(relationship)
            if let first = try members.member(at: 0) { try members.move(first, to: .max) }
        case .delete: try context.delete(objects[0])
        case .move(_, let store):
            try context.move(objects[0], to: coordinator.persistentStores[store])
        case .read: _ = try objects[0].value(forKey: key)
        case .readMembers(_, let relationship):
            _ = try objects[0].objectIDs(forRelationshipNamed: relationship)
        case .fetch(let entity):
            for object in try context.fetch(FetchRequest<ManagedObject>(entity)) {
                guard let number = try object.value(forKey: key) as? Int64 else { continue }
                layer.held[Int(number)] = object
            }
        }
        return nil
    }

    // MARK: Saving

    private func saveChild() throws -> EditorReply {
        guard layers.count > 1 else { return EditorReply() }
        let reply = try turn(layers[layers.count - 1]) { _, context in
            var reply = EditorReply()
            do {
                try context.save()
            } catch let error as GraphError {
                reply.refusal = self.refusal(error, context)
            }
            return reply
        }
        layers.removeLast()
        try turn(layers[layers.count - 1]) { layer, context in
            layer.held.merge(try self.newObjects(of: context)) { $1 }
        }
        return reply
    }

    private func save(
        _ layer: Layer, _ context: ManagedObjectContext, _ policy: ConflictPolicy
    ) throws -> EditorReply {
        var reply = EditorReply()
        context.processPendingChanges()
        reply.changes = changes(of: context)
        let recording = RecordingPolicy(policy.mergePolicy)
        context.mergePolicy = recording
        do {
            try context.save()
            reply.shown = try shownObjects(of: context)
        } catch let error as GraphError {
            reply.refusal = refusal(error, context)
            if Set(changes(of: context)) != Set(reply.changes) {
                reply.problem =
                    "a refused save changed its context: \(reply.changes) became \(changes(of: context))"
            }
        }
        reply.references = recording.references.all
            .flatMap { [$0.object] + $0.members }.map { reference($0, [:]) }
        reply.conflicts = recording.conflicts.all.map { conflict in
            SharedConflict(
                object: reference(conflict.objectID, [:]),
                read: (conflict.cachedSnapshot ?? [:]).mapValues { value($0, [:]) },
                newVersion: conflict.newVersion)
        }
        return reply
    }

    // MARK: Reporting

    private func newObjects(of context: ManagedObjectContext) throws -> [Int: ManagedObject] {
        var found: [Int: ManagedObject] = [:]
        for object in context.insertedObjects {
            if let number = try object.value(forKey: key) as? Int64 { found[Int(number)] = object }
        }
        return found
    }

    /// Reads nothing from the store.
    private func changes(of context: ManagedObjectContext) -> [SharedChange] {
        var numbers: [ObjectID: Int] = [:]
        for object in context.insertedObjects {
            guard case .integer(let number)? = object.changedValues()[key] else { continue }
            numbers[object.objectID] = Int(number)
        }
        func changes(_ objects: Set<ManagedObject>, _ kind: SharedChange.Kind) -> [SharedChange] {
            objects.map { object in
                SharedChange(
                    object: reference(object.objectID, numbers), kind: kind,
                    values: object.changedValues().mapValues { value($0, numbers) })
            }
        }
        return changes(context.insertedObjects, .inserted)
            + changes(context.updatedObjects, .updated)
            + changes(context.deletedObjects, .deleted)
    }

    private func shownObjects(of context: ManagedObjectContext) throws -> [ShownObject] {
        context.registeredObjects.filter { !$0.isFault && !$0.hasChanges && !$0.isDeleted }
            .compactMap { object in
                object.rowVersion.map {
                    ShownObject(
                        object: reference(object.objectID, [:]), version: $0,
                        values: object.committedValues(forKeys: nil).mapValues { value($0, [:]) })
                }
            }
    }

    private func reference(_ id: ObjectID, _ numbers: [ObjectID: Int]) -> SharedReference {
        numbers[id].map { .number($0) } ?? .uri(id.uriRepresentation().absoluteString)
    }

    private func value(_ value: Value, _ numbers: [ObjectID: Int]) -> SharedValue {
        switch value {
        case .integer(let integer): .integer(integer)
        case .objectID(let id): .object(reference(id, numbers))
        default: .null
        }
    }

    private func refusal(_ error: GraphError, _ context: ManagedObjectContext) -> SharedRefusal {
        let ids = (error as NSError).userInfo["NSAffectedObjectsErrorKey"] as? [ObjectID] ?? []
        var numbers: [ObjectID: Int] = [:]
        for object in context.insertedObjects {
            guard case .integer(let number)? = object.changedValues()[key] else { continue }
            numbers[object.objectID] = Int(number)
        }
        return SharedRefusal(
            kind: Self.kind(of: error), code: error.code,
            objects: ids.map { reference($0, numbers) }, text: "\(error)")
    }

    private static func kind(of error: GraphError) -> String {
        Mirror(reflecting: error).children.first?.label ?? "\(error)"
    }
}

extension SharedEdit {
    /// The objects that must exist.
    package var numbers: [Int] {
        switch self {
        case .insert(_, _, _, let links): links.values.sorted()
        case .set(let number, _, _), .rotate(let number, _), .delete(let number), .read(let number),
            .readMembers(let number, _), .move(let number, _):
            [number]
        case .setOne(let number, _, let other): [number] + (other.map { [$0] } ?? [])
        case .add(let number, _, let other), .remove(let number, _, let other): [number, other]
        case .fetch: []
        }
    }
}

/// A standard policy that records the conflicts which it resolves.
private struct RecordingPolicy: MergePolicy {
    let policy: StandardMergePolicy
    let conflicts = Recorded<MergeConflict>()
    let references = Recorded<ReferenceConflict>()

    final class Recorded<Conflict: Sendable>: Sendable {
        private let recorded = Mutex<[Conflict]>([])

        var all: [Conflict] { recorded.withLock { $0 } }

        func add(_ conflicts: [Conflict]) { recorded.withLock { $0 += conflicts } }
    }

    init(_ policy: StandardMergePolicy) { self.policy = policy }

    func resolve(_ conflicts: [MergeConflict], with resolver: ConflictResolver) throws {
        self.conflicts.add(conflicts)
        try policy.resolve(conflicts, with: resolver)
    }

    func resolve(_ conflicts: [ReferenceConflict], with resolver: ConflictResolver) throws {
        references.add(conflicts)
        try policy.resolve(conflicts, with: resolver)
    }

    func resolve(_ conflicts: [ConstraintConflict], with resolver: ConflictResolver) throws {
        try policy.resolve(conflicts, with: resolver)
    }
}
