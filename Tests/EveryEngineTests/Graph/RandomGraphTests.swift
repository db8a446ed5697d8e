import Cairn
import CairnTestSupport
import Testing

/// Random changes, saves and roll-backs against a model of the graph in plain sets.
@Suite struct `Random changes of a graph` {
    @Test(arguments: GraphStack.types, [1, 2] as [UInt64])
    func `leave both ends of every relationship agreeing`(
        _ type: StoreType, _ seed: UInt64
    ) throws {
        print("random graph: \(type), seed \(seed)")
        let stack = try GraphStack(type)
        let handle = ContextHandle(coordinator: stack.coordinator)
        var oracle = GraphOracle()
        var committed = oracle
        var random = SeededRandom(seed: seed)

        for _ in 0..<40 {
            var next = oracle
            var generator = random
            (next, generator) = try handle.performAndWait { [next, generator] context in
                var (next, generator) = (next, generator)
                for _ in 0..<10 { try next.change(context, using: &generator) }
                try next.check(context)
                return (next, generator)
            }
            (oracle, random) = (next, generator)
            if random.next() % 4 == 0 {
                try handle.performAndWait { $0.rollback() }
                oracle = committed
            } else {
                try handle.performAndWait { try $0.save() }
                committed = oracle
            }
            try handle.performAndWait { [oracle] in try oracle.check($0) }
            try stack.inContext { [oracle] in try oracle.check($0) }
        }
        try stack.reopen()
        if type != "InMemory" { try stack.inContext { [oracle] in try oracle.check($0) } }
    }
}

/// What books, genres and chapters there should be, by name, and what they should lead to.
struct GraphOracle: Sendable {
    private var books: Set<String> = []
    private var genres: Set<String> = []
    private var genresOfBook: [String: Set<String>] = [:]
    /// In order.
    private var chaptersOfBook: [String: [String]] = [:]
    private var chapters: Set<String> = []
    private var deletedBooks: Set<String> = []
    private var deletedGenres: Set<String> = []
    private var counter = 0

    /// Makes one random change here and in the context.
    mutating func change(
        _ context: ManagedObjectContext, using random: inout SeededRandom
    ) throws {
        counter += 1
        let name = "\(counter)"
        switch random.next() % 9 {
        case 0:
            _ = try context.insert("Book", ["title": name])
            books.insert(name)
        case 1:
            _ = try context.insert("Genre", ["name": name])
            genres.insert(name)
        case 2:
            _ = try context.insert("Chapter", ["title": name])
            chapters.insert(name)
        case 3, 4: try toggleGenre(context, &random)
        case 5, 6: try placeChapter(context, &random)
        case 7 where random.next() % 3 == 0: try deleteBook(context, &random)
        case 8 where random.next() % 3 == 0: try deleteGenre(context, &random)
        default: break
        }
        applyDeletions()
    }

    private func pick(_ names: Set<String>, _ random: inout SeededRandom) -> String? {
        names.sorted().randomElement(using: &random)
    }

    private mutating func toggleGenre(
        _ context: ManagedObjectContext, _ random: inout SeededRandom
    ) throws {
        guard let book = pick(books.subtracting(deletedBooks), &random),
            let genre = pick(genres.subtracting(deletedGenres), &random)
        else { return }
        let object = try context.only("Book", where: "title == '\(book)'")
        let other = try context.only("Genre", where: "name == '\(genre)'")
        let isAdding = genresOfBook[book, default: []].insert(genre).inserted
        if !isAdding { genresOfBook[book]?.remove(genre) }
        let fromBook = random.next() % 2 == 0
        let (owner, member, key) = fromBook ? (object, other, "genres") : (other, object, "books")
        let set: ObjectSet<ManagedObject> = try owner.objects(key)
        if isAdding { try set.insert(member) } else { try set.remove(member) }
    }

    private mutating func placeChapter(
        _ context: ManagedObjectContext, _ random: inout SeededRandom
    ) throws {
        guard let book = pick(books.subtracting(deletedBooks), &random),
            let chapter = pick(chapters, &random)
        else { return }
        let object = try context.only("Book", where: "title == '\(book)'")
        let other = try context.only("Chapter", where: "title == '\(chapter)'")
        let former = chaptersOfBook.first { $0.value.contains(chapter) }?.key
        switch random.next() % 3 {
        case 0:
            try other.setValue(nil, forKey: "book")
            remove(chapter)
        case 1:
            try other.setValue(object, forKey: "book")
            guard former != book else { return }
            remove(chapter)
            chaptersOfBook[book, default: []].append(chapter)
        default:
            let count = chaptersOfBook[book]?.count ?? 0
            let index = Int(random.next() % UInt64(count + 1))
            try object.orderedObjects("chapters").insert(other, at: index)
            remove(chapter)
            let list = chaptersOfBook[book, default: []]
            chaptersOfBook[book, default: []].insert(chapter, at: min(index, list.count))
        }
    }

    private mutating func remove(_ chapter: String) {
        for book in chaptersOfBook.keys { chaptersOfBook[book]?.removeAll { $0 == chapter } }
    }

    private mutating func deleteBook(
        _ context: ManagedObjectContext, _ random: inout SeededRandom
    ) throws {
        guard let book = pick(books.subtracting(deletedBooks), &random) else { return }
        try context.delete(try context.only("Book", where: "title == '\(book)'"))
        deletedBooks.insert(book)
    }

    private mutating func deleteGenre(
        _ context: ManagedObjectContext, _ random: inout SeededRandom
    ) throws {
        guard let genre = pick(genres.subtracting(deletedGenres), &random) else { return }
        try context.delete(try context.only("Genre", where: "name == '\(genre)'"))
        deletedGenres.insert(genre)
    }

    /// What the next fetch does, because it ends the event: books take their chapters along, genres
    /// leave their books.
    private mutating func applyDeletions() {
        for book in deletedBooks {
            chapters.subtract(chaptersOfBook.removeValue(forKey: book) ?? [])
            genresOfBook[book] = nil
        }
        for book in genresOfBook.keys { genresOfBook[book]?.subtract(deletedGenres) }
        books.subtract(deletedBooks)
        genres.subtract(deletedGenres)
        deletedBooks = []
        deletedGenres = []
    }

    /// Compares with what a context sees.
    func check(_ context: ManagedObjectContext) throws {
        let seen = try context.fetch(FetchRequest<ManagedObject>("Book"))
        let titles = try seen.map { try $0.value(forKey: "title") as? String ?? "" }
        let difference = books.subtracting(deletedBooks).symmetricDifference(titles).sorted()
        try require(difference.isEmpty, "books \(difference)")
        for (book, title) in zip(seen, titles) {
            let wanted = genresOfBook[title] ?? []
            try require(Set(try book.names("genres", "name")) == wanted, "genres of \(title)")
            let chapters = try book.names("chapters", "title")
            try require(chapters == chaptersOfBook[title] ?? [], "chapters of \(title)")
            for chapter in try book.orderedObjects("chapters") {
                try require(try chapter["book"] == .objectID(book.objectID), "book of a chapter")
            }
        }
        for genre in try context.fetch(FetchRequest<ManagedObject>("Genre")) {
            let name = try genre.value(forKey: "name") as? String ?? ""
            let wanted = genresOfBook.filter { $0.value.contains(name) }.keys
            try require(Set(try genre.names("books", "title")) == Set(wanted), "books of \(name)")
        }
    }

    private func require(_ condition: Bool, _ what: String) throws {
        if !condition { throw Disagreement(what: what) }
    }

    struct Disagreement: Error {
        let what: String
    }
}
