import Cairn
import CairnTestSupport
import Foundation

/// A real store and the real contexts above it.
package final class RealWorld {
    /// A context with the objects and IDs that a program would hold.
    package final class Layer: @unchecked Sendable {
        // Unchecked because objects and IDs are used only in turns of the handle's context.
        let handle: ContextHandle
        /// The held objects by number. Other objects are fetched by their IDs.
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

    /// Empties the store and creates a context.
    ///
    /// - Parameter store: The store to use. It is emptied first.
    package init(_ store: NoteStore) throws {
        self.store = store
        try store.empty()
        layers = [Layer(ContextHandle(coordinator: store.coordinator))]
        try top.handle.performAndWait { $0.undoManager = UndoManager() }
    }

    // MARK: Applying actions

    /// Performs the action that the naive graph performed on itself.
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
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for edit in edits { try context.apply(edit) }
            try context.save()
        }
    }

    // MARK: Comparing

    /// Compares the state that the current context shows.
    package func check(against world: NaiveWorld) throws {
        try inTop { _, context in
            context.processPendingChanges()
            try context.compare(with: world.graph)
            if world.hasChanges, !context.hasChanges { throw Disagreement("hasChanges is false") }
        }
    }

    /// Compares the content of the store with the expected state.
    ///
    /// - Parameter reopens: Whether the store is opened again first.
    package func checkStore(against graph: NaiveGraph, reopens: Bool) throws {
        layers = []
        if reopens { try store.reopen() }
        try ContextHandle(coordinator: coordinator)
            .performAndWait {
                try $0.compare(with: graph)
                try $0.compareTopics(with: graph)
            }
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

/// A difference between the real graph and the naive graph.
package struct Disagreement: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
