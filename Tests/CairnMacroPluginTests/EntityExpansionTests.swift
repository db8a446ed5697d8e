import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import CairnMacroPlugin

@Suite struct `The macro of entities` {
    private static let macros: [String: MacroSpec] = [
        "Attribute": MacroSpec(type: MarkerMacro.self),
        "Entity": MacroSpec(type: EntityMacro.self),
        "EntityProperty": MacroSpec(type: EntityPropertyMacro.self),
        "FetchedProperty": MacroSpec(type: FetchedPropertyMacro.self),
        "Index": MacroSpec(type: PropertyListMacro.self),
        "Reference": MacroSpec(type: MarkerMacro.self),
        "Relationship": MacroSpec(type: MarkerMacro.self),
        "Unique": MacroSpec(type: PropertyListMacro.self),
    ]

    private func expect(
        _ source: String, expandsTo expanded: String, _ diagnostics: [DiagnosticSpec] = [],
        _ fixed: String? = nil, location: SourceLocation = #_sourceLocation
    ) {
        assertMacroExpansion(
            source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: Self.macros,
            applyFixIts: nil, fixedSource: fixed,
            failureHandler: { failure in
                Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
            })
    }

    @Test func `adds attributes to properties, and an initializer and settings to the class`() {
        expect(
            """
            @Entity final class Author: ManagedObject {
                var name: String = ""
                @Relationship(inverse: \\Book.author) var books: Members<Book>
                #Unique<Author>([\\.name, \\.born?.year])
                #Index<Author>([\\Author.name], [\\.`case`])
            }
            """,
            expandsTo: """
                final class Author: ManagedObject {
                    var name: String {
                        get {
                            Managed<String> [_enclosingInstance: self, wrapped: \\Author.name, storage: \\Author._name]
                        }
                        set {
                            Managed<String> [_enclosingInstance: self, wrapped: \\Author.name, storage: \\Author._name] = newValue
                        }
                    }

                    private final var _name = Managed<String>()
                    var books: Members<Book> {
                        get {
                            Managed<Members<Book>> [_enclosingInstance: self, wrapped: \\Author.books, storage: \\Author._books]
                        }
                        set {
                            Managed<Members<Book>> [_enclosingInstance: self, wrapped: \\Author.books, storage: \\Author._books] = newValue
                        }
                    }

                    private final var _books = Managed<Members<Book>>()

                    override class var entitySettings: EntitySettings {
                        EntitySettings(of: Author.self,
                            .attribute("name", default: "" as String, file: "TestModule/test.swift", line: 2),
                            .relationship("books", inverse: .named("author", \\Book.author), file: "TestModule/test.swift", line: 3),
                            .unique("name", "born.year", file: "TestModule/test.swift", line: 4),
                            .index("name", file: "TestModule/test.swift", line: 5),
                            .index("case", file: "TestModule/test.swift", line: 5),
                            file: "TestModule/test.swift", line: 1)
                    }

                    convenience init(
                        context: ManagedObjectContext, name: String = "", books: Members<Book> = []
                    ) throws(GraphError) {
                        try self.init(context: context)
                        self.name = name
                        if !books.isEmpty {
                            self.books = books
                        }
                    }
                }
                """)
    }

    @Test func `passes on a configuration, and lets a fetched property fetch`() {
        expect(
            """
            @Entity(configuration: "User") final class Sighting: ManagedObject {
                @FetchedProperty("code == 1", sortedBy: [.init("code")], limit: 3) var `case`: [Species]
            }
            """,
            expandsTo: """
                final class Sighting: ManagedObject {
                    var `case`: [Species] {
                        get throws(GraphError) {
                            try fetchedObjects("case", as: Species.self)
                        }
                    }

                    override class var entitySettings: EntitySettings {
                        EntitySettings(of: Sighting.self,
                            .entity(configuration: "User", file: "TestModule/test.swift", line: 1),
                            .fetchedProperty("case", of: Species.self, where: "code == 1", sortedBy: [.init("code")], limit: 3, file: "TestModule/test.swift", line: 2),
                            file: "TestModule/test.swift", line: 1)
                    }

                    convenience init(
                        context: ManagedObjectContext
                    ) throws(GraphError) {
                        try self.init(context: context)
                    }
                }
                """)
    }

    @Test func `writes the key of a reference, or nothing for one by URI`() {
        expect(
            """
            @Entity final class Sighting: ManagedObject {
                @Reference(\\Species.code, originalName: "kind") var species: Species?
                @Reference var seen: Species?
            }
            """,
            expandsTo: """
                final class Sighting: ManagedObject {
                    var species: Species? {
                        get {
                            Managed<Species?> [_enclosingInstance: self, wrapped: \\Sighting.species, storage: \\Sighting._species]
                        }
                        set {
                            Managed<Species?> [_enclosingInstance: self, wrapped: \\Sighting.species, storage: \\Sighting._species] = newValue
                        }
                    }

                    private final var _species = Managed<Species?>()
                    var seen: Species? {
                        get {
                            Managed<Species?> [_enclosingInstance: self, wrapped: \\Sighting.seen, storage: \\Sighting._seen]
                        }
                        set {
                            Managed<Species?> [_enclosingInstance: self, wrapped: \\Sighting.seen, storage: \\Sighting._seen] = newValue
                        }
                    }

                    private final var _seen = Managed<Species?>()

                    override class var entitySettings: EntitySettings {
                        EntitySettings(of: Sighting.self,
                            .reference("species", by: "code", \\Species.code, originalName: "kind", file: "TestModule/test.swift", line: 2),
                            .reference("seen", file: "TestModule/test.swift", line: 3),
                            file: "TestModule/test.swift", line: 1)
                    }

                    convenience init(
                        context: ManagedObjectContext, species: Species? = nil, seen: Species? = nil
                    ) throws(GraphError) {
                        try self.init(context: context)
                        if let species {
                            self.species = species
                        }
                        if let seen {
                            self.seen = seen
                        }
                    }
                }
                """)
    }

    @Test func `evaluates initial values that are not literals for each object`() {
        expect(
            """
            @Entity final class Ticket: ManagedObject {
                var id: UUID = UUID()
                @Attribute(.pattern("a"), default: Mood.calm, hashModifier: "2") var mood: Mood? = .angry
            }
            """,
            expandsTo: """
                final class Ticket: ManagedObject {
                    var id: UUID {
                        get {
                            Managed<UUID> [_enclosingInstance: self, wrapped: \\Ticket.id, storage: \\Ticket._id]
                        }
                        set {
                            Managed<UUID> [_enclosingInstance: self, wrapped: \\Ticket.id, storage: \\Ticket._id] = newValue
                        }
                    }

                    private final var _id = Managed<UUID>()
                    var mood: Mood? {
                        get {
                            Managed<Mood?> [_enclosingInstance: self, wrapped: \\Ticket.mood, storage: \\Ticket._mood]
                        }
                        set {
                            Managed<Mood?> [_enclosingInstance: self, wrapped: \\Ticket.mood, storage: \\Ticket._mood] = newValue
                        }
                    }

                    private final var _mood = Managed<Mood?>()

                    override class var entitySettings: EntitySettings {
                        EntitySettings(of: Ticket.self,
                            .attribute("id", initial: { () -> UUID in
                                    return UUID()
                                }, file: "TestModule/test.swift", line: 2),
                            .attribute("mood", .pattern("a"), default: Mood.calm as Mood, initial: { () -> Mood? in
                                    return .angry
                                }, hashModifier: "2", file: "TestModule/test.swift", line: 3),
                            file: "TestModule/test.swift", line: 1)
                    }

                    convenience init(
                        context: ManagedObjectContext, id: UUID? = nil, mood: Mood? = .angry
                    ) throws(GraphError) {
                        try self.init(context: context, _initialValues: ["mood": mood])
                        if let id {
                            self.id = id
                        }
                    }
                }
                """)
    }

    @Test(arguments: [("public ", "public "), ("", "")])
    func `gives a public class a public initializer if all properties are public`(
        _ access: String, _ ofInitializer: String
    ) {
        expect(
            "@Entity open class Author: ManagedObject {\n    \(access)var age: Int?\n}",
            expandsTo: """
                open class Author: ManagedObject {
                    \(access)var age: Int? {
                        get {
                            Managed<Int?> [_enclosingInstance: self, wrapped: \\Author.age, storage: \\Author._age]
                        }
                        set {
                            Managed<Int?> [_enclosingInstance: self, wrapped: \\Author.age, storage: \\Author._age] = newValue
                        }
                    }

                    private final var _age = Managed<Int?>()

                    override public class var entitySettings: EntitySettings {
                        EntitySettings(of: Author.self,
                            file: "TestModule/test.swift", line: 1)
                    }

                    \(ofInitializer)convenience init(
                        context: ManagedObjectContext, age: Int? = nil
                    ) throws(GraphError) {
                        try self.init(context: context)
                        if let age {
                            self.age = age
                        }
                    }
                }
                """)
    }

    @Test func `refuses a type that is not a class`() {
        expect(
            "@Entity struct Author {}", expandsTo: "struct Author {}",
            [
                DiagnosticSpec(
                    message:
                        "@Entity can only be attached to a class, because objects of an entity have"
                        + " an identity",
                    line: 1, column: 1,
                    fixIts: [FixItSpec(message: "replace “struct” with “final class”")])
            ])
    }

    @Test(arguments: [
        (
            "let name: String", "“name” must be a variable, because a fetch sets it",
            "replace “let” with “var”"
        ),
        (
            "var name = Date()",
            "“name” needs an explicit type, because a macro sees only the source text",
            nil
        ),
        (
            "var entity: String",
            "every managed object already has a property “entity”; choose another name", nil
        ),
        (
            "@Reference var species: Species",
            "“species” must be an optional, Species?, because the key of a reference may lead nowhere",
            nil
        ),
        (
            "@Reference(\\Bird.code) var species: Species?",
            "the key of “species” must be a key path of its class, such as \\Species.code", nil
        ),
        (
            "@Reference(key) var species: Species?",
            "the key of “species” must be a key path of its class, such as \\Species.code", nil
        ),
        ("var a: String, b: String", "each stored property needs a declaration of its own", nil),
    ])
    func `refuses properties that cannot be managed`(
        _ property: String, _ message: String, _ correction: String?
    ) {
        let source = "@Entity class Author: ManagedObject {\n    \(property)\n}"
        var found: [String] = []
        assertMacroExpansion(
            source, expandedSource: "",
            diagnostics: [
                DiagnosticSpec(
                    message: message, line: 2, column: 5,
                    fixIts: correction.map { [FixItSpec(message: $0)] } ?? [])
            ], macroSpecs: Self.macros,
            failureHandler: { found.append($0.message) })

        // Another test checks the expansion. Only messages about the property matter here.
        #expect(!found.contains { $0.contains("diagnostic") || $0.contains("message") }, "\(found)")
    }

    @Test func `requires a superclass`() {
        var found: [String] = []
        assertMacroExpansion(
            "@Entity class Author {}", expandedSource: "",
            diagnostics: [
                DiagnosticSpec(
                    message: "the class of an entity must inherit from ManagedObject", line: 1,
                    column: 1,
                    fixIts: [FixItSpec(message: "inherit from ManagedObject")])
            ], macroSpecs: Self.macros, failureHandler: { found.append($0.message) })

        #expect(!found.contains { $0.contains("diagnostic") || $0.contains("message") }, "\(found)")
    }
}
