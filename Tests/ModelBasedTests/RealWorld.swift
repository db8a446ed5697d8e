import Cairn
import CairnTestSupport
import Foundation

/// A store and the contexts above it, as they are.
final class RealWorld {
    /// A context with what a program would hold of it.
    final class Layer: @unchecked Sendable {
        // Unchecked: objects and IDs are touched inside of a turn of the handle's context only.
        let handle: ContextHandle
        /// Objects by number; one that is not here comes back from its ID.
        var held: [Int: ManagedObject] = [:]
        var ids: [Int: ObjectID] = [:]

        init(_ handle: ContextHandle) {
            self.handle = handle
        }
    }

    private let type: StoreType
    private let folder: TemporaryFolder
    private var coordinator: PersistentStoreCoordinator
    private var layers: [Layer] = []
    private var top: Layer { layers[layers.count - 1] }

    init(_ type: StoreType) throws {
        self.type = type
        folder = try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(managedObjectModel: Self.model)
        try addStore()
        layers = [Layer(ContextHandle(coordinator: coordinator))]
        try top.handle.performAndWait { $0.undoManager = UndoManager() }
    }

    private func addStore() throws {
        let url = type == "InMemory" ? nil : folder.file("notes.store")
        try coordinator.addPersistentStore(ofType: type, at: url)
    }

    // MARK: Applying actions

    /// Does to the graph what the naive one did to itself.
    func apply(_ action: Action) throws {
        let layer = top
        switch action {
        case .beginChild:
            layers.append(Layer(ContextHandle(parent: layer.handle)))
            try inTop { try $0.beginAsChild(of: layer, context: $1) }
        case .saveChild:
            try inTop { _, context in try context.save() }
            layers.removeLast()
            try inTop { try $0.find(in: $1) }
        case .dropChild:
            layers.removeLast()
            try inTop { try $0.find(in: $1) }
        case .elsewhere(let edits, let policy, let conflicts):
            try saveElsewhere(edits)
            try inTop { layer, context in
                try layer.save(context, policy, conflictsWith: conflicts)
            }
        default:
            try inTop { try $0.apply(action, in: $1) }
        }
    }

    private func inTop(
        _ body: @Sendable (Layer, ManagedObjectContext) throws -> Void
    ) throws {
        let layer = top
        try layer.handle.performAndWait { try body(layer, $0) }
    }

    private func saveElsewhere(_ edits: [ForeignEdit]) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for edit in edits {
                let found = try context.fetch(
                    FetchRequest<ManagedObject>("Item", where: "number == %d", edit.number))
                for object in found {
                    try object.setValue(
                        edit.setsText ? edit.text : edit.rank as Any,
                        forKey: edit.setsText ? "text" : "rank")
                }
            }
            try context.save()
        }
    }

    // MARK: Comparing

    /// Compares what the context that is worked in shows.
    func check(against world: NaiveWorld) throws {
        try inTop { _, context in
            context.processPendingChanges()
            try context.compare(with: world.graph)
            if world.hasChanges, !context.hasChanges { throw Disagreement("hasChanges is false") }
        }
    }

    /// Compares what is in the store, which is opened again where that can be done.
    func checkStore(against graph: NaiveGraph) throws {
        layers = []
        if type != "InMemory" {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            coordinator = PersistentStoreCoordinator(managedObjectModel: Self.model)
            try addStore()
        }
        try ContextHandle(coordinator: coordinator).performAndWait { try $0.compare(with: graph) }
    }
}

/// How the real graph differs from the naive one.
struct Disagreement: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
