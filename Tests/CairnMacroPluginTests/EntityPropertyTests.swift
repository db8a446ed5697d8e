import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import CairnMacroPlugin

@Suite struct `Properties of an entity` {
    @Test(arguments: [
        ("Int = -5", true), ("Double = +1.5", true), ("String = \"a\"", true),
        ("Bool = (true)", true),
        ("[Int] = [1, -2]", true), ("[String: [Int]] = [\"a\": [1]]", true),
        ("[String: Int] = [:]", true), ("Int? = nil", true), ("UUID? = UUID()", false),
        ("String = \"\\(next())\"", false), ("Date = .now", false),
        ("Date = Date.distantPast", false),
        ("Int = 1 + 2", false), ("Int = -count", false), ("[Int] = [1, next()]", false),
        ("[String: Int] = [\"a\": next()]", false), ("Mood = Mood.calm", false),
        ("Bool = !isOld", false), ("Int = { 1 }()", false), ("URL? = URL(string: \"a\")", false),
        ("String = NSUserName() + \"a\"", false),
    ])
    func `knows literals`(_ property: String, _ isLiteral: Bool) throws {
        let declaration = DeclSyntax("var value: \(raw: property)")

        let read = try #require(EntityProperty(declaration))

        #expect((read.computedInitialValue == nil) == isLiteral)
        #expect(isLiteral || read.defaultValue == nil)
    }
}
