// Compiled with `-default-isolation MainActor`, as a package with `.defaultIsolation(MainActor.self)` is.
import Foundation
import SwiftData

@Model final class Note {
    @Attribute(.unique) var key: String = ""
    var text: String
    var day = Date()
    @Relationship(deleteRule: .cascade, inverse: \Line.note) var lines: [Line] = []
    let number: Int
    var changes: Int = 0 { didSet { text += "." } }
    @Transient var draft = makeDraft()

    init(text: String) {
        self.text = text
        number = 1
    }
}

nonisolated func makeDraft() -> String { "draft" }

@Model class Line {
    var note: Note?
    var position: Position = Position()
    var kind: Kind = Kind.text

    init() {}

    nonisolated enum Kind: String, Codable { case text, image }
}

nonisolated struct Position: Codable {
    var column = 1
    var styles: [Int] = []
}

@Model final class LongLine: Line {
    var length: Int = 0

    override init() { super.init() }
}

@ModelActor actor Worker {
    func add() throws -> PersistentIdentifier {
        let note = Note(text: "x")
        note.lines.append(Line())
        modelContext.insert(note)
        try modelContext.save()
        return note.persistentModelID
    }

    func count() throws -> Int {
        try modelContext.fetchCount(
            FetchDescriptor<Note>(
                predicate: #Predicate { $0.text == "x" }, sortBy: [SortDescriptor(\.day)]))
    }
}

@ModelActor(disableGenerateInit: true) actor OtherWorker {
    var cache: [String: Int] = [:]

    init(_ container: ModelContainer) {
        modelContainer = container
        modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
    }
}

enum FirstSchema: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Page.self] }

    @Model final class Page {
        var text: String = ""

        init() {}
    }
}

enum SecondSchema: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Page.self] }

    @Model final class Page {
        var text: String = ""
        var number: Int = 0

        init() {}
    }
}

enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [FirstSchema.self, SecondSchema.self] }
    static var stages: [MigrationStage] { [second] }

    static let second = MigrationStage.custom(
        fromVersion: FirstSchema.self, toVersion: SecondSchema.self,
        willMigrate: { context in try context.save() },
        didMigrate: { context in
            for page in try context.fetch(FetchDescriptor<SecondSchema.Page>()) { page.number = 1 }
            try context.save()
        })
}

@Observable final class Notes {
    var notes: [Note] = []
    let container: ModelContainer

    init() throws {
        container = try ModelContainer(for: Note.self, Line.self)
        container.mainContext.autosaveEnabled = false
    }

    func load() throws {
        notes = try container.mainContext.fetch(FetchDescriptor<Note>())
        notes[0].text = "y"
        notes[0].lines[0].position.column = 3
    }

    func work() async throws {
        let id = try await Worker(modelContainer: container).add()
        if let note: Note = container.mainContext.registeredModel(for: id) {
            print(note.text, note.lines.count)
        }
    }

    nonisolated func workElsewhere() async throws -> Int {
        let context = ModelContext(container)
        context.insert(Note(text: "z"))
        return try context.fetchCount(FetchDescriptor<Note>())
    }
}
