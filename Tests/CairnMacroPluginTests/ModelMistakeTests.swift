import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import CairnMacroPlugin

@Suite struct `Properties of a model` {
    @Test(arguments: [
        (
            "let id = UUID()",
            "“id” must be a variable, or a constant that the initializers set, because a fetch sets it"
        ),
        (
            "var description: String",
            "“description” cannot be the name of a stored property of a model; use another one, and @Attribute(originalName:) if a store has it"
        ),
        (
            "@ObservationIgnored var a = 1",
            "“a” is persistent, so reading it is observed; add @Transient, or remove @ObservationIgnored"
        ),
        ("var a = 1, b = 2", "each stored property needs a declaration of its own"),
        ("var (a, b) = (1, 2)", "each stored property needs a declaration of its own"),
    ])
    func `that cannot be stored are mistakes`(_ source: String, _ message: String) {
        #expect(ModelMistake(in: DeclSyntax("\(raw: source)"))?.message == message)
    }

    @Test func `may have observers, which the setter calls`() throws {
        let source: DeclSyntax =
            "var name = \"\" { willSet(new) {\nlog(new)\n} didSet {\ncount += 1\n} }"
        let property = try #require(PersistedProperty(source))

        let setter = property.setter("set()")

        let lines = setter.split(separator: "\n").map { $0.drop { $0 == " " } }.filter {
            !$0.isEmpty
        }
        #expect(
            lines == [
                "guard persistentBackingData.beginObserving(\"name\") else { return set() }",
                "defer { persistentBackingData.endObserving(\"name\") }", "func _willSet() {",
                "let new = newValue", "log(new)", "}", "_willSet()", "set()", "func _didSet() {",
                "count += 1", "}", "_didSet()",
            ])
        #expect(ModelMistake(in: source) == nil)
    }

    @Test(arguments: [
        "var name: String", "var start = Date()", "let id: Int", "@Transient let id = 1",
        "@Transient @ObservationIgnored var a = 1", "@Transient var description = 1",
        "var description: String { name }",
        "static let all = 1",
        "lazy var cache = 1", "var title: String { name }", "func run() {}",
    ])
    func `that can be stored, or are not stored, are no mistakes`(_ source: String) {
        #expect(ModelMistake(in: DeclSyntax("\(raw: source)")) == nil)
    }

    @Test func `are stored unless they are transient or computed`() throws {
        let stored = try #require(PersistedProperty(DeclSyntax("var `case`: Int = 3")))

        #expect(stored.plainName == "case" && stored.initialValue?.description == "3")
        #expect(PersistedProperty(DeclSyntax("let a: Int"))?.isConstant == true)
        #expect(PersistedProperty(DeclSyntax("@Transient var a = 1")) == nil)
        #expect(PersistedProperty(DeclSyntax("@SwiftData.Transient var a = 1")) == nil)
        #expect(PersistedProperty(DeclSyntax("var a: Int { 1 }")) == nil)
        #expect(PersistedProperty(DeclSyntax("var a: Int? = nil"))?.initialValue == nil)
    }
}
