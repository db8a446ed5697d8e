import Cairn
import GraphSupport
import Testing

/// Deletes a companion when it is deleted.
private final class Book: ManagedObject {
    var companion: Book?
    private(set) var callCount = 0

    override func prepareForDeletion() {
        callCount += 1
        if let companion { try? managedObjectContext?.delete(companion) }
    }
}

@Suite struct `A hook that deletes other objects` {
    private static let classes = ObjectClasses([Book.self])

    @Test(arguments: everyEngine)
    func `applies their delete rules, even if a delete rule called the hook`(
        _ type: StoreType
    ) throws {
        try StudioStack(type).inContext(classes: Self.classes) { context in
            let (first, second) = (try context.insert(Book.self), try context.insert(Book.self))
            let author = try context.insert("Person", ["name": "Woolf"])
            let tag = try context.insert("Tag", ["name": "modern"])
            try first.setValue(author, forKey: "author")
            let chapter = try context.insert("Chapter")
            try second.orderedObjects("chapters").append(chapter)
            try second.objects("tags").insert(tag)
            try context.save()
            first.companion = second

            try context.delete(author)
            context.processPendingChanges()

            #expect(first.isDeleted && second.isDeleted && chapter.isDeleted)
            #expect(try tag.objects("books").isEmpty)
            try context.save()
            #expect(try context.count(for: FetchRequest<ManagedObject>("Chapter")) == 0)
        }
    }

    @Test(arguments: everyEngine)
    func `may be called again by the objects that it deletes`(_ type: StoreType) throws {
        try StudioStack(type).inContext(classes: Self.classes) { context in
            let (first, second) = (try context.insert(Book.self), try context.insert(Book.self))
            (first.companion, second.companion) = (second, first)
            try context.save()

            try context.delete(first)

            #expect(first.isDeleted && second.isDeleted)
            #expect([first.callCount, second.callCount] == [1, 1])
            context.rollback()
            try context.delete(second)
            #expect(first.isDeleted && second.isDeleted)
            (first.companion, second.companion) = (nil, nil)
        }
    }
}
