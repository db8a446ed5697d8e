import Cairn
import GraphSupport

/// Saved authors, books and tags that predicates can distinguish.
///
/// Books “a” to “e” have 10 to 50 pages, and “e” is a novel. Ann wrote “a” and “b”, her pupil Bob wrote “c”,
/// and the other books have no author. “a” and “c” have the tag “red”.
enum Shelf {
    static func fill(_ context: ManagedObjectContext) throws {
        let ann = try context.insert("Author", ["name": "Ann", "alias": "aa", "born": 1900])
        let bob = try context.insert("Author", ["name": "Bob", "alias": "bb", "born": 1950])
        try bob.setValue(ann, forKey: "mentor")
        let red = try context.insert("Tag", ["name": "red"])
        for (index, title) in ["a", "b", "c", "d", "e"].enumerated() {
            let book = try context.insert(
                title == "e" ? "Novel" : "Book", ["title": title, "pages": 10 * (index + 1)])
            if index < 3 { try book.setValue(index < 2 ? ann : bob, forKey: "author") }
            if index % 2 == 0, index < 4 { try book.objects("tags").insert(red) }
        }
        try context.save()
    }

    static func books(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>("Book")
        request.sortDescriptors = [FetchSortDescriptor("title")]
        return try context.fetch(request)
    }

    /// Returns the titles of the books, concatenated.
    static func titles(_ books: some Sequence<ManagedObject>) throws -> String {
        try books.map { try $0.value(forKey: "title") as? String ?? "?" }.joined()
    }

    /// Returns the titles of the books that a fetch returns, in that order.
    static func fetched(
        _ context: ManagedObjectContext, _ predicate: FetchPredicate
    ) throws -> String {
        var request = FetchRequest<ManagedObject>("Book")
        request.predicate = predicate
        request.sortDescriptors = [FetchSortDescriptor("title")]
        return try titles(try context.fetch(request))
    }
}

/// Runs the body in a turn of a context on a new library with a shelf.
func inShelf(
    _ type: StoreType, classes: ObjectClasses = ObjectClasses(),
    _ body: @Sendable (ManagedObjectContext) throws -> Void
) throws {
    try inLibrary(type, classes: classes) { context throws in
        try Shelf.fill(context)
        try body(context)
    }
}
