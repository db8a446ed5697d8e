import SwiftSyntax

/// The source of a `#Unique` or `#Index` macro in a class.
struct PropertyList {
    /// Whether the properties form a uniqueness constraint or an index.
    enum Purpose: String {
        case unique = "Unique"
        case index = "Index"
    }

    let purpose: Purpose
    /// The class that is the generic argument. `nil` if there is no generic argument.
    let className: String?
    /// The property names of each constraint or index. `nil` if an argument is not an array of literal key
    /// paths.
    let lists: [[String]]?

    /// Reads a macro. Returns `nil` for a macro other than `#Unique` and `#Index`.
    init?(_ macro: some FreestandingMacroExpansionSyntax) {
        guard let purpose = Purpose(rawValue: macro.macroName.text) else { return nil }
        self.purpose = purpose
        className = macro.genericArgumentClause?.arguments.first?.argument.trimmedDescription
        let lists = macro.arguments.map { Self.names(in: $0.expression) }
        self.lists = lists.contains(nil) ? nil : lists.compactMap(\.self)
    }

    private static func names(in expression: ExprSyntax) -> [String]? {
        guard let array = expression.as(ArrayExprSyntax.self) else { return nil }
        let names = array.elements.map { $0.expression.as(KeyPathExprSyntax.self)?.propertyPath }
        return names.isEmpty || names.contains(nil) ? nil : names.compactMap(\.self)
    }
}

extension KeyPathExprSyntax {
    /// The names of the properties along the key path, joined by dots. `nil` if the key path is empty or
    /// contains anything but properties.
    var propertyPath: String? {
        var names: [String] = []
        for component in components {
            switch component.component {
            case .property(let property): names.append(property.declName.baseName.plainText)
            case .optional: break
            default: return nil
            }
        }
        return names.isEmpty ? nil : names.joined(separator: ".")
    }
}

extension TokenSyntax {
    /// The text without backticks.
    var plainText: String { text.filter { $0 != "`" } }
}
