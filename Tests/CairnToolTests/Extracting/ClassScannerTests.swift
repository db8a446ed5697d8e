import Testing

@testable import CairnTool

@Suite struct `Classes in source files` {
    private func names(_ text: String) -> [String] { ClassScanner.classes(in: text).map(\.name) }

    @Test func `are found with their superclass and their modifiers`() {
        let text = """
            import CairnMacros
            private let count = 1
            @MainActor @Entity(originalName: "Opus (old)") public final class Work: CairnObjects.ManagedObject {
                var title = ""
                class var isBig: Bool { false }
                class func make() {}
            }
            @CairnMacros.Entity class Poem: Work, Sendable {}
            fileprivate class Hidden {}
            """

        let classes = ClassScanner.classes(in: text)

        #expect(classes.map(\.name) == ["Work", "Poem", "Hidden"])
        #expect(classes.map(\.superclass) == ["ManagedObject", "Work", nil])
        #expect(classes.map(\.isEntity) == [true, true, false])
        #expect(classes.map(\.isPrivate) == [false, false, true])
    }

    @Test func `have names that include their enclosing types`() {
        let text = """
            enum Library {
                struct Shelf { func f() { if true { } } }
                final class Book: ManagedObject { class Page {} }
            }
            extension Library.Deep { class Note: ManagedObject {} }
            class Outside {}
            """

        #expect(
            names(text) == ["Library.Book", "Library.Book.Page", "Library.Deep.Note", "Outside"])
    }

    @Test func `are not found in comments and texts`() {
        let text = """
            // class A {}
            /* class B { /* class C {} */ class D {} */
            let one = "class E { \\" class F {}"
            let two = #"class G " {"#
            let three = \"\"\"
                class H "{" {
                \"\"\"
            protocol P: class {}
            class I {}
            """

        #expect(names(text) == ["I"])
    }

    @Test func `do not crash the scanner in a text that is not Swift`() {
        #expect(names("}}}} class") == [])
        #expect(names("class : class {") == [])
        #expect(names("/* class A") == [])
        #expect(names("\"class A") == [])
        #expect(names(") class A") == ["A"])
        #expect(names("class A:") == ["A"])
    }
}
