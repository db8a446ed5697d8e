import Cairn
import Foundation

/// Edits an outline as a person would, and prints what a list of its topics would show.
@main struct Outliner {
    @MainActor static func main() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "outliner-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let container = PersistentContainer(
            name: "Outline", managedObjectModel: try Topic.model,
            classes: ObjectClasses([Topic.self]))
        container.persistentStoreDescriptions = [
            PersistentStoreDescription(
                type: "SQLite", url: folder.appending(path: "Outline.sqlite"))
        ]
        try await container.loadPersistentStores()
        let context = container.viewContext
        context.automaticallyMergesChangesFromParent = true

        let list = TopicList()
        let controller = FetchedResultsController(
            fetchRequest: Topic.byTitle, managedObjectContext: context)
        controller.delegate = list
        try controller.performFetch()

        print("A topic with two others in it:")
        let shopping = try Topic.insert("Shopping", into: context)
        try shopping.topics.append(Topic.insert("Milk", into: context))
        try shopping.topics.append(Topic.insert("Bread", into: context))
        context.undoManager?.setActionName("Add Shopping")
        try context.save()
        await endOfEvent()

        print("Deleted, with what is in it, and brought back:")
        try context.delete(shopping)
        await endOfEvent()
        context.undoManager?.setActionName("Delete Shopping")
        print("  \(context.undoManager?.undoMenuItemTitle ?? "")")
        context.undo()
        await endOfEvent()

        print("Moved in the order of its topic, and back:")
        let bread = try shopping.topics.member(at: 1)
        if let bread { try shopping.topics.move(bread, to: 0) }
        await endOfEvent()
        print("  \(try shopping.topics.map(\.title))")
        context.undo()
        await endOfEvent()
        print("  \(try shopping.topics.map(\.title))")

        print("A title that the model refuses:")
        shopping.title = ""
        do {
            try context.save()
        } catch {
            print("  \(error)")
        }
        context.undo()

        print("An import in the background, merged:")
        let merges = context.handle.merges
        try await container.performBackgroundTask { context in
            for title in ["Apples", "Zucchini"] { _ = try Topic.insert(title, into: context) }
            try context.save()
        }
        for await merged in merges {
            print("  merged \(merged.inserted.count) new topics")
            break
        }
        await endOfEvent()
        print("The list: \((controller.fetchedObjects ?? []).map(\.title))")
    }
}

/// Waits until the main queue ends its turn, as between two clicks of a person. The event ends there, and its
/// changes become one step to undo.
@MainActor func endOfEvent() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume() }
    }
}

/// A line of the outline.
final class Topic: ManagedObject {
    static var model: ManagedObjectModel {
        get throws {
            var topic = EntityDescription(
                "Topic",
                [
                    .attribute(
                        "title", .string, isOptional: false, validationRules: [.minimumLength(1)]),
                    .toOne("parent", "Topic", inverse: "topics"),
                    .toMany(
                        "topics", "Topic", inverse: "parent", isOrdered: true,
                        deleteRule: .cascade),
                ])
            topic.managedObjectClassName = "Topic"
            return try ManagedObjectModel([topic])
        }
    }

    static var byTitle: FetchRequest<Topic> {
        var request = FetchRequest<Topic>()
        request.sortDescriptors = [FetchSortDescriptor("title")]
        return request
    }

    static func insert(_ title: String, into context: ManagedObjectContext) throws -> Topic {
        let topic = try context.insert(Topic.self)
        topic.title = title
        return topic
    }

    @Managed var title: String

    var topics: OrderedObjects<Topic> {
        get throws { try orderedObjects("topics") }
    }
}

/// Prints the changes that a list on a screen would show.
final class TopicList: FetchedResultsControllerDelegate {
    func controller(
        _ controller: FetchedResultsController<Topic>, didChange topic: Topic,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        let title = topic.managedObjectContext == nil ? "a topic" : topic.title
        switch type {
        case .insert: print("  row \(newIndexPath?.item ?? 0): \(title) comes")
        case .delete: print("  row \(indexPath?.item ?? 0): \(title) goes")
        case .move: print("  \(title) moves to row \(newIndexPath?.item ?? 0)")
        case .update: print("  row \(newIndexPath?.item ?? 0): \(title) is drawn again")
        }
    }
}
