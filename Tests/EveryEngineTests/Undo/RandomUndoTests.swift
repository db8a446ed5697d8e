import Cairn
import CairnTestSupport
import GraphSupport
import Synchronization
import Testing

/// Random events, with a picture of the whole graph after each. Undoing them one by one must restore every
/// earlier picture, and redoing them every later picture, with saves in between.
@Suite struct `Random undo` {
    @Test(arguments: everyEngine, [11, 12, 13] as [UInt64])
    func `restores every earlier graph, and redo every later one`(
        _ engine: StoreType, _ seed: UInt64
    ) throws {
        print("random undo: \(engine), seed \(seed)")
        let stack = try GraphStack(engine)

        try stack.withUndo { _ = try UndoWalk($0, $1, seed: seed).run() }
    }

    @Test(arguments: [14] as [UInt64])
    func `produces the same graphs on every engine`(_ seed: UInt64) throws {
        print("random undo on all engines: seed \(seed)")

        let walks = try everyEngine.map { engine in
            let pictures = Mutex<[GraphPicture]>([])
            try GraphStack(engine).withUndo { context, coordinator in
                let walk = try UndoWalk(context, coordinator, seed: seed).run()
                pictures.withLock { $0 = walk }
            }
            return pictures.withLock { $0 }
        }

        #expect(walks.allSatisfy { $0 == walks[0] })
        #expect(walks[0].count > 40)
    }

    @Test func `detects an undo that loses a change`() throws {
        let stack = try GraphStack("InMemory")

        #expect(throws: GraphPicture.Difference.self) {
            try stack.withUndo { context, coordinator in
                _ = try UndoWalk(context, coordinator, seed: 11, losesChange: true).run()
            }
        }
    }
}

private struct UndoWalk {
    private let context: ManagedObjectContext
    private let coordinator: PersistentStoreCoordinator
    private var random: SeededRandom
    /// Whether one change is hidden from the undo manager, to imitate a faulty one.
    private let losesChange: Bool
    /// All objects that ever existed. Undo and redo restore the same instances.
    private var objects: [ManagedObject] = []
    private var pictures: [GraphPicture] = []

    init(
        _ context: ManagedObjectContext, _ coordinator: PersistentStoreCoordinator, seed: UInt64,
        losesChange: Bool = false
    ) {
        self.context = context
        self.coordinator = coordinator
        self.losesChange = losesChange
        random = SeededRandom(seed: seed)
    }

    /// Returns the picture after each event, beginning with the empty picture.
    func run() throws -> [GraphPicture] {
        var walk = self
        try walk.walk()
        return walk.pictures
    }

    private mutating func walk() throws {
        pictures = [try GraphPicture(living)]
        while pictures.count <= 40 { try makeEvent() }
        if losesChange, let object = living.first(where: { $0.entity.name == "Genre" }) {
            context.undoManager?.disableUndoRegistration()
            try object.setValue("lost", forKey: "name")
            context.undoManager?.enableUndoRegistration()
        }
        for _ in 0..<2 {
            for picture in pictures.dropLast().reversed() {
                context.undo()
                try check(picture, "undo")
            }
            for picture in pictures.dropFirst() {
                context.redo()
                try check(picture, "redo")
            }
        }
        try context.save()
        try pictures[pictures.count - 1].require(coordinator.picture(), "stored")
    }

    private var living: [ManagedObject] {
        objects.filter { $0.managedObjectContext != nil && !$0.isDeleted }
    }

    private mutating func makeEvent() throws {
        for _ in 0...random.below(4) { try change() }
        guard context.undoManager?.canUndo == true else { return }
        let count = context.undoManager?.undoCount ?? 0
        // An event without an effect leaves nothing to undo.
        if count == pictures.count { pictures.append(try GraphPicture(living)) }
        try saveSometimes()
    }

    private mutating func check(_ picture: GraphPicture, _ what: String) throws {
        try picture.require(GraphPicture(living), what)
        try saveSometimes()
    }

    private mutating func saveSometimes() throws {
        guard random.below(4) == 0 else { return }
        let picture = try GraphPicture(living)
        try context.save()
        try picture.require(GraphPicture(living), "after a save")
        try picture.require(coordinator.picture(), "stored")
        if random.below(3) == 0 { try context.refreshAllObjects() }
    }

    // MARK: Changes

    private mutating func change() throws {
        switch random.below(12) {
        case 0...2: try insert()
        case 3: try pick(nil).map { try context.delete($0) }
        case 4, 5: try setNumber()
        case 6, 7: try setDestination()
        case 8, 9: try changeMembers()
        default: try changeOrder()
        }
    }

    private mutating func pick(_ entity: String?) -> ManagedObject? {
        living.filter { entity == nil || $0.entity.name == entity }.randomElement(using: &random)
    }

    private mutating func insert() throws {
        let name = "\(objects.count)"
        let entity =
            ["Author", "Book", "Novel", "Chapter", "Genre", "Shelf", "Mark"]
            .randomElement(using: &random) ?? "Book"
        let object = try context.insertNewObject(forEntityName: entity)
        let key = ["label", "title", "name"].first { object.entity.property(named: $0) != nil }
        try key.map { try object.setValue(name, forKey: $0) }
        objects.append(object)
    }

    private mutating func setNumber() throws {
        guard let book = pick("Book") ?? pick("Novel") else { return }
        let value = random.below(5)
        try book.setValue(value == 0 ? nil : value, forKey: "pages")
        try book.setValue(Double(value) / 4, forKey: "rating")
    }

    private mutating func setDestination() throws {
        if random.below(2) == 0 {
            try pick("Book")?.setValue(
                random.below(4) == 0 ? nil : pick("Author"), forKey: "author")
        } else {
            try pick("Chapter")?.setValue(
                random.below(4) == 0 ? nil : pick("Book"), forKey: "book")
        }
    }

    private mutating func changeMembers() throws {
        let (owner, member, key) =
            switch random.below(3) {
            case 0: (pick("Book"), pick("Genre"), "genres")
            case 1: (pick("Genre"), pick("Novel"), "books")
            default: (pick("Author"), pick("Author"), "friends")
            }
        guard let owner, let member, owner !== member else { return }
        let members = try owner.objects(key)
        if try members.contains(member) {
            try members.remove(member)
        } else {
            try members.insert(member)
        }
    }

    private mutating func changeOrder() throws {
        let (owner, member, key) =
            random.below(2) == 0
            ? (pick("Book"), pick("Chapter"), "chapters") : (pick("Shelf"), pick("Mark"), "books")
        guard let owner, let member else { return }
        let members = try owner.orderedObjects(key)
        switch random.below(4) {
        case 0: try members.append(member)
        case 1: try members.remove(member)
        case 2: try members.replaceAll(with: Array(members).shuffled(using: &random))
        default: try members.insert(member, at: random.below(members.count + 1))
        }
    }
}

extension SeededRandom {
    mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }
}
