import Cairn
import CairnTestSupport
import Foundation

/// A store and the contexts above it, as they are.
package final class RealWorld {
    /// A context with what a program would hold of it.
    package final class Layer: @unchecked Sendable {
        // Unchecked: objects and IDs are touched inside of a turn of the handle's context only.
        let handle: ContextHandle
        /// Objects by number; one that is not here comes back from its ID.
        var held: [Int: ManagedObject] = [:]
        var ids: [Int: ObjectID] = [:]

        init(_ handle: ContextHandle) {
            self.handle = handle
        }
    }

    private let store: NoteStore
    private var coordinator: PersistentStoreCoordinator { store.coordinator }
    private var layers: [Layer] = []
    private var top: Layer { layers[layers.count - 1] }

    private let classes: ObjectClasses

    /// - Parameters:
    ///   - store: emptied first.
    ///   - isTyped: whether objects have classes, with slots in another order than their entities'.
    package init(_ store: NoteStore, isTyped: Bool) throws {
        self.store = store
        classes = isTyped ? PermutedClasses.classes(for: RealWorld.model) : ObjectClasses()
        try store.empty()
        layers = [Layer(ContextHandle(coordinator: store.coordinator, classes: classes))]
        try top.handle.performAndWait { $0.undoManager = UndoManager() }
    }

    // MARK: Applying actions

    /// Does to the graph what the naive one did to itself.
    package func apply(_ action: GraphAction) throws {
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
        try ContextHandle(coordinator: coordinator, classes: classes).performAndWait { context in
            for edit in edits { try context.apply(edit) }
            try context.save()
        }
    }

    // MARK: Comparing

    /// Compares what the context that is worked in shows.
    package func check(against world: NaiveWorld) throws {
        try inTop { _, context in
            context.processPendingChanges()
            try context.compare(with: world.graph)
            if world.hasChanges, !context.hasChanges { throw Disagreement("hasChanges is false") }
        }
    }

    /// Compares what is in the store with what should be.
    ///
    /// - Parameter reopens: whether the store is opened again for it.
    package func checkStore(against graph: NaiveGraph, reopens: Bool) throws {
        layers = []
        if reopens { try store.reopen() }
        try ContextHandle(coordinator: coordinator, classes: classes)
            .performAndWait { try $0.compare(with: graph) }
    }
}

extension ManagedObjectContext {
    fileprivate func apply(_ edit: ForeignEdit) throws {
        if case .insert(let kind) = edit.change {
            let new = try insertNewObject(forEntityName: kind.rawValue)
            return try new.setValue(edit.number, forKey: "number")
        }
        let found = try fetch(
            FetchRequest<ManagedObject>("Item", where: "number == %d", edit.number))
        for object in found {
            switch edit.change {
            case .insert: break
            case .setText(let text): try object.setValue(text, forKey: "text")
            case .setRank(let rank): try object.setValue(rank, forKey: "rank")
            case .delete: try delete(object)
            }
        }
    }
}

/// How the real graph differs from the naive one.
package struct Disagreement: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
