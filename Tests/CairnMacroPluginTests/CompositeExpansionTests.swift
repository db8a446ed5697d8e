import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import CairnMacroPlugin

@Suite struct `The macro of composites` {
    private static let macros: [String: MacroSpec] = [
        "Attribute": MacroSpec(type: MarkerMacro.self),
        "Composite": MacroSpec(type: CompositeMacro.self, conformances: ["CompositeAttribute"]),
    ]

    private func expect(
        _ source: String, expandsTo expanded: String, location: SourceLocation = #_sourceLocation
    ) {
        assertMacroExpansion(
            source, expandedSource: expanded, macroSpecs: Self.macros,
            failureHandler: { failure in
                Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
            })
    }

    @Test func `lists the stored properties`() {
        expect(
            """
            @Composite struct Address {
                var street = ""
                @Attribute(.length(5...5), originalName: "zip") var `case`: String?
                var names: [String] = []
                var line: String { street }
                static var count = 0
            }
            """,
            expandsTo: """
                struct Address {
                    var street = ""
                    var `case`: String?
                    var names: [String] = []
                    var line: String { street }
                    static var count = 0
                }

                extension Address: CompositeAttribute {
                    static let elements: [CompositeElement<Address>] = [
                        CompositeElement("street", \\.street, default: "" as String),
                        CompositeElement("case", \\.`case`, .length(5 ... 5), originalName: "zip"),
                        CompositeElement("names", \\.names),
                    ]
                }
                """)
    }

    @Test func `adds an initializer without parameters if Swift does not`() {
        expect(
            """
            @Composite("Where") struct Point {
                var x: Double
                var y: Optional<Double>
            }
            """,
            expandsTo: """
                struct Point {
                    var x: Double
                    var y: Optional<Double>
                }

                extension Point: CompositeAttribute {
                    static var compositeName: String {
                        "Where"
                    }

                    static let elements: [CompositeElement<Point>] = [
                        CompositeElement("x", \\.x),
                        CompositeElement("y", \\.y),
                    ]

                    init() {
                        self.x = Double.valueOfNil
                        self.y = nil
                    }
                }
                """)
    }

    @Test func `gives a public structure public initializers`() {
        expect(
            """
            @Composite public struct Point {
                public var x: Double
                public var y: Double?
            }
            """,
            expandsTo: """
                public struct Point {
                    public var x: Double
                    public var y: Double?

                    public init() {
                        self.x = Double.valueOfNil
                    }

                    public init(x: Double, y: Double? = nil) {
                        self.x = x
                        self.y = y
                    }
                }

                extension Point: CompositeAttribute {
                    public static let elements: [CompositeElement<Point>] = [
                        CompositeElement("x", \\.x),
                        CompositeElement("y", \\.y),
                    ]
                }
                """)
    }
}
