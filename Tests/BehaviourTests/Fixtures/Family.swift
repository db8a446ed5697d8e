import Cairn
import GraphSupport

/// A context, its child, and a stored author that both can read.
struct Family: Sendable {
    let stack: StudioStack
    let parent: ContextHandle
    let child: ContextHandle
    let author: ObjectID

    /// Creates the two contexts.
    ///
    /// - Parameter merging: Whether the child automatically merges the changes that its parent saves.
    init(_ type: StoreType, merging: Bool = false) throws {
        stack = try Library.stack(type)
        author = try stack.inContext { context throws in
            let author = try context.insert("Author", ["name": "a", "born": 1])
            try context.save()
            return author.objectID
        }
        parent = ContextHandle(coordinator: stack.coordinator)
        child = ContextHandle(parent: parent)
        try child.performAndWait { context throws in
            context.retainsRegisteredObjects = true
            context.automaticallyMergesChangesFromParent = merging
        }
    }
}
