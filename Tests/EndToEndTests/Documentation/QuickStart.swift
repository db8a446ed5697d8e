// Laid out as the README shows it.
// swift-format-ignore-file
import Cairn
import Foundation

/// The README's first program; a test compares the two, so what users read compiles and runs.
func quickStart(in folder: URL) async throws -> [String] {
    // README: begin
    let model = try ManagedObjectModel([
        EntityDescription("Author", [
            .attribute("name", .string, isOptional: false),
            .toMany("books", "Book", inverse: "author", deleteRule: .cascade),
        ]),
        EntityDescription("Book", [
            .attribute("title", .string, isOptional: false),
            .attribute("pages", .integer32, isOptional: false, defaultValue: 0),
            .toOne("author", "Author", inverse: "books"),
        ]),
    ])

    let container = PersistentContainer(name: "Library", managedObjectModel: model)
    container.persistentStoreDescriptions = [
        StoreDescription(type: "SQLite", url: folder.appending(path: "Library.sqlite"))
    ]
    try await container.loadPersistentStores()

    let titles = try await container.performBackgroundTask { context in
        let author = try context.insertNewObject(forEntityName: "Author")
        try author.setValue("Ursula K. Le Guin", forKey: "name")
        for (title, pages) in [("The Dispossessed", 341), ("The Lathe of Heaven", 184)] {
            let book = try context.insertNewObject(forEntityName: "Book")
            try book.setValue(title, forKey: "title")
            try book.setValue(pages, forKey: "pages")
            try book.setValue(author, forKey: "author")  // author.books follows
        }
        try context.save()  // all of it, or nothing and an error that says why

        let long = try FetchRequest<ManagedObject>(
            "Book", where: "pages > %d AND author.name BEGINSWITH[c] %@", 200, "ursula")
        return try context.fetch(long).map { try $0["title"] }
    }
    // README: end
    return titles.map { "\($0)" }
}
