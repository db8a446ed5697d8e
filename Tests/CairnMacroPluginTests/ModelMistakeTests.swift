import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import CairnMacroPlugin

@Suite struct `Properties of a model` {
    @Test(arguments: [
        ("let id: Int", "“id” must be a variable, because a fetch sets it"),
        ("var a = 1, b = 2", "each stored property needs a declaration of its own"),
        ("var (a, b) = (1, 2)", "each stored property needs a declaration of its own"),
    ])
    func `that cannot be stored are mistakes`(_ source: String, _ message: String) {
        #expect(ModelMistake(in: DeclSyntax("\(raw: source)"))?.message == message)
    }

    @Test func `cannot have observers`() {
        let mistake = ModelMistake(in: "var name = \"\" { didSet {} }")

        #expect(mistake?.message.contains("“name” cannot have willSet or didSet") == true)
    }

    @Test(arguments: [
        "var name: String", "var start = Date()", "@Transient let id = 1", "static let all = 1",
        "lazy var cache = 1", "var title: String { name }", "func run() {}",
    ])
    func `that can be stored, or are not stored, are no mistakes`(_ source: String) {
        #expect(ModelMistake(in: DeclSyntax("\(raw: source)")) == nil)
    }

    @Test func `are stored unless they are transient or computed`() throws {
        let stored = try #require(PersistedProperty(DeclSyntax("var `case`: Int = 3")))

        #expect(stored.plainName == "case" && stored.initialValue?.description == "3")
        #expect(PersistedProperty(DeclSyntax("@Transient var a = 1")) == nil)
        #expect(PersistedProperty(DeclSyntax("@SwiftData.Transient var a = 1")) == nil)
        #expect(PersistedProperty(DeclSyntax("var a: Int { 1 }")) == nil)
        #expect(PersistedProperty(DeclSyntax("var a: Int? = nil"))?.initialValue == nil)
    }
}
