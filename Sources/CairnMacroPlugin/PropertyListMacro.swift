import SwiftSyntax
import SwiftSyntaxMacros

/// The `#Unique` and `#Index` macros, which expand to nothing. ``EntityMacro`` reads them.
struct PropertyListMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let list = PropertyList(node) else { return [] }
        let name = "#\(list.purpose.rawValue)"
        let entity = context.enclosingEntity
        if !context.isInType(with: "Entity") {
            context.diagnose(EntityMistake.noEntity(name).diagnostic(at: node))
        } else if let entity, let className = list.className, className != entity.name.text {
            context.diagnose(
                EntityMistake.otherClass(name, entity.name.text).diagnostic(at: node))
        }
        if list.lists == nil {
            context.diagnose(EntityMistake.noKeyPaths(name).diagnostic(at: node))
        }
        return []
    }
}

extension MacroExpansionContext {
    /// The class with `@Entity` that contains the macro. `nil` if there is no such class.
    var enclosingEntity: ClassDeclSyntax? {
        guard let entity = lexicalContext.first?.as(ClassDeclSyntax.self),
            entity.attributes.contains("Entity")
        else { return nil }
        return entity
    }

    /// Returns whether the macro is inside a type with the given macro. The type may be of a wrong kind,
    /// which the type's own macro reports.
    func isInType(with macro: String) -> Bool {
        let type = lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
        return type?.attributes.contains(macro) ?? false
    }
}

extension AttributeListSyntax {
    /// Returns whether the list contains the macro with that name.
    fileprivate func contains(_ macro: String) -> Bool {
        contains { attribute in
            let name = attribute.as(AttributeSyntax.self)?.attributeName.trimmedDescription
            return name == macro || name == "CairnMacros.\(macro)"
        }
    }
}

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
