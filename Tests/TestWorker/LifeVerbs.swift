import Cairn
import Foundation

/// The worker's command for `script/hops`: a fetch, a save and a fault on a SQLite store, as a program makes
/// them. The script traces the functions that are entered between the lines `begin LIFE` and `end`.
///
///     lives FOLDER        creates the store in the folder
///
/// Each life is lived at least twice. The script uses the last trace, which lacks what happens only the first
/// time.
@MainActor struct LifeVerbs {
    private let context: ManagedObjectContext

    nonisolated static func run(_ arguments: [String]) throws {
        guard arguments.count == 1 else { throw WrongArguments(arguments) }
        let file = URL(fileURLWithPath: arguments[0]).appendingPathComponent("Lives.sqlite")
        try MainActor.assumeIsolated {
            let ids = try LifeVerbs(file).fill()
            let lives = try LifeVerbs(file)
            try lives.fetch()
            try lives.save(ids[0])
            try lives.fire(ids[2])
            // Ends the snapshot that the fault leaves for the next reads, so that its connection is free.
            try lives.save(ids[0])
            try lives.fetch()
            try lives.save(ids[0])
            try lives.fire(ids[3])
        }
    }

    private init(_ file: URL) throws {
        let book = EntityDescription(
            "Book", [.attribute("title", .string), .attribute("pages", .integer64)])
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(ModelDescription([book])))
        // Everything is slow under valgrind.
        coordinator.monitoring.slowOperationThreshold = nil
        try coordinator.addPersistentStore(ofType: .sqlite, at: file)
        context = ManagedObjectContext(
            coordinator: coordinator, classes: ObjectClasses([Book.self]))
    }

    private func fill() throws -> [ObjectID] {
        let books = try ["Dracula", "Emma", "Kindred", "Solaris"].map { title in
            let book = try Book(context: context)
            book.title = title
            return book
        }
        try context.save()
        return books.map(\.objectID)
    }

    private func fetch() throws {
        var request = try FetchRequest<Book>("Book", where: "title < %@", "F")
        request.sortDescriptors = [FetchSortDescriptor("title")]
        TestWorker.say("begin fetch")
        let title = try context.fetch(request).first?.title
        TestWorker.say("end")
        _ = try Missing.check(title, "a book")
    }

    private func save(_ id: ObjectID) throws {
        let book = try Missing.check(try context.existingObject(with: id) as? Book, "a book")
        book.pages += 1
        try Book(context: context).title = "Persuasion"
        TestWorker.say("begin save")
        try context.save()
        TestWorker.say("end")
    }

    /// Reads a property of a book that no fetch has read.
    private func fire(_ id: ObjectID) throws {
        let book = try Missing.check(try context.object(with: id) as? Book, "a book")
        TestWorker.say("begin fault")
        let title = book.title
        TestWorker.say("end")
        _ = try Missing.check(title, "a title")
    }
}

private final class Book: ManagedObject {
    @Managed var title: String?
    @Managed var pages: Int
}
