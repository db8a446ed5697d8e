import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A mistake in a declaration, with its message and correction.
enum EntityMistake: DiagnosticMessage {
    case noClass
    case noStructure
    case noSuperclass
    /// The property is a `let`, which a fetch could not set.
    case constant(String)
    case noType(String)
    /// The type of a fetched property is not an array.
    case noArray(String)
    /// The type of a reference is not an optional.
    case notOptional(String, type: String)
    /// The key path of a reference is not that of a property of the destination's class.
    case noKey(String, type: String)
    /// The name is taken by a property that every managed object has.
    case taken(String)
    /// The name is taken by a parameter of the generated initializer.
    case parameter
    case severalProperties
    /// A macro such as `@Unique` is used outside of a type whose macro reads it.
    case noEntity(String)
    /// `#Unique` or `#Index` names a class other than the one that contains it.
    case otherClass(String, String)
    case noKeyPaths(String)

    /// Finds the mistake in the declaration of a stored property. Returns `nil` if the declaration is
    /// correct.
    ///
    /// - Parameter isElement: Whether the property belongs to the structure of a composite.
    init?(in variable: VariableDeclSyntax, isElement: Bool = false) {
        guard variable.bindings.count == 1, let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else {
            self = .severalProperties
            return
        }
        let name = pattern.identifier.text
        if variable.bindingSpecifier.text == "let" {
            self = .constant(name)
        } else if !isElement, Self.takenNames.contains(name) {
            self = .taken(name)
        } else if !isElement, name == "context" {
            self = .parameter
        } else if EntityProperty(variable) == nil {
            self = .noType(name)
        } else {
            return nil
        }
    }

    /// Finds the mistake in a property with `@Reference`. Returns `nil` for any other property.
    init?(inReference property: EntityProperty) {
        guard property.attribute("Reference") != nil else { return nil }
        let type = property.wrappedType
        let key = property.arguments(of: "Reference").first { $0.label == nil }
        if !property.isOptional {
            self = .notOptional(property.name, type: type)
        } else if let key, key.expression.as(KeyPathExprSyntax.self)?.leadsFrom(type) != true {
            self = .noKey(property.name, type: type)
        } else {
            return nil
        }
    }

    /// The names of `SwiftName.members` in `CairnModel`. A copy, because a plugin that imported that module would
    /// be built with all of it for the host; a test compares the two.
    private static let takenNames: Set<String> = [
        "description", "entity", "hasChanges", "hasPersistentChangedValues", "hashValue",
        "isDeleted",
        "isFault", "isInserted", "isUpdated", "managedObjectContext", "objectID",
        "_predicateExpression", "rowVersion",
    ]

    var message: String {
        switch self {
        case .noClass:
            "@Entity can only be attached to a class, because objects of an entity have an identity"
        case .noStructure:
            "@Composite can only be attached to a structure, because a composite is a value"
        case .noSuperclass: "the class of an entity must inherit from ManagedObject"
        case .constant(let name): "“\(name)” must be a variable, because a fetch sets it"
        case .noType(let name):
            "“\(name)” needs an explicit type, because a macro sees only the source text"
        case .noArray(let name):
            "“\(name)” must be an array of a class of the model, such as [Book], because it is fetched"
        case .notOptional(let name, let type):
            "“\(name)” must be an optional, \(type)?, because the key of a reference may lead nowhere"
        case .noKey(let name, let type):
            "the key of “\(name)” must be a key path of its class, such as \\\(type).code"
        case .taken(let name):
            "every managed object already has a property “\(name)”; choose another name"
        case .parameter:
            "“context” is the first parameter of the generated initializer; choose another name"
        case .severalProperties: "each stored property needs a declaration of its own"
        case .noEntity("@Attribute"):
            "@Attribute has no effect outside a class with @Entity or a structure with @Composite"
        case .noEntity(let macro): "\(macro) has no effect outside a class with @Entity"
        case .otherClass(let macro, let name):
            "this \(macro) is in the class \(name); write \(macro)<\(name)>"
        case .noKeyPaths(let macro):
            "\(macro) needs key paths that are written out, such as \(macro)<…>([\\.name, \\.born])"
        }
    }

    var diagnosticID: MessageID { MessageID(domain: "CairnMacros", id: "\(self)") }
    var severity: DiagnosticSeverity { .error }

    /// Returns the diagnostic for the mistake, with a fix-it if there is a correction.
    func diagnostic(at declaration: some SyntaxProtocol) -> Diagnostic {
        Diagnostic(
            node: Syntax(declaration), message: self,
            fixIts: correction(of: Syntax(declaration)).map { [$0] } ?? [])
    }

    private func correction(of declaration: Syntax) -> FixIt? {
        switch self {
        case .noSuperclass:
            guard let entity = declaration.as(ClassDeclSyntax.self) else { return nil }
            return fix(
                "inherit from ManagedObject", declaration, Syntax(entity.inheritingManagedObject))
        case .constant:
            guard var variable = declaration.as(VariableDeclSyntax.self) else { return nil }
            variable.bindingSpecifier.tokenKind = .keyword(.var)
            return fix("replace “let” with “var”", declaration, Syntax(variable))
        case .noClass:
            guard let structure = declaration.as(StructDeclSyntax.self) else { return nil }
            return fix(
                "replace “struct” with “final class”", declaration, Syntax(structure.asEntity))
        case .noStructure:
            guard let entity = declaration.as(ClassDeclSyntax.self) else { return nil }
            return fix("replace “class” with “struct”", declaration, Syntax(entity.asStructure))
        case .noType, .noArray, .notOptional, .noKey, .taken, .parameter, .severalProperties,
            .noEntity, .otherClass,
            .noKeyPaths:
            return nil
        }
    }

    private func fix(_ text: String, _ old: Syntax, _ new: Syntax) -> FixIt {
        FixIt(
            message: Correction(message: text, fixItID: diagnosticID),
            changes: [.replace(oldNode: old, newNode: new)])
    }

    private struct Correction: FixItMessage {
        let message: String
        let fixItID: MessageID
    }
}

extension KeyPathExprSyntax {
    /// Whether the key path is written with a class, and leads to one of its properties.
    fileprivate func leadsFrom(_ type: String) -> Bool {
        root?.trimmedDescription == type && components.count == 1
    }
}
