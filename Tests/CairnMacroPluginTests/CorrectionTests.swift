import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import CairnMacroPlugin

/// Applies each fix-it that the macros offer, and expands the result again.
@Suite struct `Corrections that the macros offer` {
    private static let macros: [String: MacroSpec] = [
        "Attribute": MacroSpec(type: MarkerMacro.self),
        "Composite": MacroSpec(type: CompositeMacro.self, conformances: ["CompositeAttribute"]),
        "Entity": MacroSpec(type: EntityMacro.self),
        "EntityProperty": MacroSpec(type: EntityPropertyMacro.self),
        "Unique": MacroSpec(type: MarkerMacro.self),
    ]

    struct Case: Sendable {
        let message: String
        let source: String
        let correction: String
        let fixed: String
        /// The line of the mistake.
        var line = 1
        var column = 1
    }

    static let cases = [
        Case(
            message:
                "@Entity can only be attached to a class, because objects of an entity have an identity",
            source: "@Entity struct Author {\n    var name = \"\"\n}",
            correction: "replace “struct” with “final class”",
            fixed: "@Entity final class Author: ManagedObject {\n    var name = \"\"\n}"),
        Case(
            message:
                "@Entity can only be attached to a class, because objects of an entity have an identity",
            source: "@Entity\npublic struct Author: Sendable {\n    @Unique var name = \"\"\n}",
            correction: "replace “struct” with “final class”",
            fixed:
                "@Entity\npublic final class Author: ManagedObject, Sendable {\n    @Unique var name = \"\"\n}"
        ),
        Case(
            message:
                "@Entity can only be attached to a class, because objects of an entity have an identity",
            source: "@Entity\n// Who writes.\nstruct Author {}",
            correction: "replace “struct” with “final class”",
            fixed: "@Entity\n// Who writes.\nfinal class Author: ManagedObject {}"),
        Case(
            message: "the class of an entity must inherit from ManagedObject",
            source: "@Entity final class Author {\n    var name = \"\"\n}",
            correction: "inherit from ManagedObject",
            fixed: "@Entity final class Author: ManagedObject {\n    var name = \"\"\n}"),
        Case(
            message: "“name” must be a variable, because a fetch sets it",
            source: "@Entity final class Author: ManagedObject {\n    @Unique let name: String\n}",
            correction: "replace “let” with “var”",
            fixed: "@Entity final class Author: ManagedObject {\n    @Unique var name: String\n}",
            line: 2, column: 5),
        Case(
            message: "“street” must be a variable, because a fetch sets it",
            source: "@Composite struct Address {\n    let street: String\n}",
            correction: "replace “let” with “var”",
            fixed: "@Composite struct Address {\n    var street: String\n}", line: 2, column: 5),
        Case(
            message:
                "@Composite can only be attached to a structure, because a composite is a value",
            source: "@Composite final class Address {\n    var street = \"\"\n}",
            correction: "replace “class” with “struct”",
            fixed: "@Composite struct Address {\n    var street = \"\"\n}"),
        Case(
            message:
                "@Composite can only be attached to a structure, because a composite is a value",
            source: "@Composite\nfinal public class Address {\n    @Attribute var street = \"\"\n}",
            correction: "replace “class” with “struct”",
            fixed: "@Composite\npublic struct Address {\n    @Attribute var street = \"\"\n}"),
    ]

    @Test(arguments: cases.indices)
    func `lead to source code without mistakes`(_ index: Int) {
        let given = Self.cases[index]
        var failures: [String] = []
        let mistake = DiagnosticSpec(
            message: given.message, line: given.line, column: given.column,
            fixIts: [FixItSpec(message: given.correction)])
        assertMacroExpansion(
            given.source, expandedSource: "", diagnostics: [mistake], macroSpecs: Self.macros,
            applyFixIts: [given.correction], fixedSource: given.fixed,
            failureHandler: { failures.append($0.message) })
        assertMacroExpansion(
            given.fixed, expandedSource: "", macroSpecs: Self.macros,
            failureHandler: { failures.append($0.message) })

        // Other tests check the expansion itself.
        #expect(failures.filter { !$0.hasPrefix("Macro expansion did not produce") } == [])
        #expect(failures.count == 2)
    }
}
