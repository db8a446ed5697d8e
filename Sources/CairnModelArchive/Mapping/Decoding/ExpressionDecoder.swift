import CairnModel

extension PredicateDecoder {
    mutating func expression(
        _ value: ArchivedValue, depth: Int
    ) throws(UnreadablePredicate) -> FetchExpression {
        try step(depth)
        guard let object = value.object else {
            throw UnreadablePredicate("an expression is missing")
        }
        switch object.className {
        case "NSConstantValueExpression": return try constant(object, depth: depth)
        case "NSSelfExpression": return .evaluatedObject
        case "NSVariableExpression":
            guard let name = try Self.string(object, "NSVariable") else {
                throw UnreadablePredicate("a variable has no name")
            }
            return .variable(name)
        case "NSKeyPathSpecifierExpression":
            return .keyPath(try Self.names(object))
        case "NSKeyPathExpression": return try keyPath(object, depth: depth)
        case "NSAggregateExpression":
            return .list(try members(object, "NSCollection", depth: depth))
        case "NSFunctionExpression": return try function(object, depth: depth)
        case "NSSubqueryExpression": return try subquery(object, depth: depth)
        case "NSTernaryExpression": return try conditional(object, depth: depth)
        default:
            throw UnreadablePredicate("an expression has the unsupported class \(object.className)")
        }
    }

    /// Decodes a constant. A constant that is a collection becomes a list.
    private mutating func constant(
        _ object: ArchivedObject, depth: Int
    ) throws(UnreadablePredicate) -> FetchExpression {
        let archived = try Self.value(object, "NSConstantValue")
        if let collection = archived.object, collection.fields["NS.objects"] != nil {
            var members: [FetchExpression] = []
            for member in try Self.reading({ () throws(ModelArchiveError) in
                try collection.elements()
            }) {
                try step(depth)
                if let value = try plain(member) {
                    members.append(.constant(value))
                } else {
                    members.append(try expression(member, depth: depth + 1))
                }
            }
            return .list(members)
        }
        if case .null = archived {
            guard try Self.string(object, "NSConstantValueClassName") == nil else {
                throw UnreadablePredicate("there is a class where a value is needed")
            }
            return .constant(.null)
        }
        guard let value = try plain(archived) else {
            throw UnreadablePredicate("a constant has an unknown class")
        }
        return .constant(value)
    }

    private func plain(_ value: ArchivedValue) throws(UnreadablePredicate) -> Value? {
        try Self.reading { () throws(ModelArchiveError) in try ValueDecoder.plain(value) }
    }

    private static func names(_ object: ArchivedObject) throws(UnreadablePredicate) -> [String] {
        guard let path = try string(object, "NSKeyPath"), !path.isEmpty else {
            throw UnreadablePredicate("a key path is empty")
        }
        return path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// Decodes a call of `valueForKeyPath:` on SELF, a variable or another expression.
    private mutating func keyPath(
        _ object: ArchivedObject, depth: Int
    ) throws(UnreadablePredicate) -> FetchExpression {
        let arguments = try Self.reading { () throws(ModelArchiveError) in
            try object.elements("NSArguments")
        }
        guard let specifier = arguments.first?.object else {
            throw UnreadablePredicate("a key path has no names")
        }
        let names = try Self.names(specifier)
        let operand = try expression(Self.value(object, "NSOperand"), depth: depth + 1)
        if case .evaluatedObject = operand { return .keyPath(names) }
        return .keyPathOf(operand, names)
    }

    /// Decodes a function. Core Data's own functions are methods of the class `_NSPredicateUtilities`.
    private mutating func function(
        _ object: ArchivedObject, depth: Int
    ) throws(UnreadablePredicate) -> FetchExpression {
        guard let name = try Self.string(object, "NSSelectorName"),
            let operand = try Self.object(object, "NSOperand")
        else { throw UnreadablePredicate("a function has no name") }
        if name == "valueForKeyPath:" || name == "valueForKey:" {
            return try keyPath(object, depth: depth)
        }
        guard try Self.string(operand, "NSConstantValueClassName") == "_NSPredicateUtilities" else {
            if readsMethods {
                let called = try expression(.object(operand), depth: depth + 1)
                let arguments = try members(object, "NSArguments", depth: depth)
                return .function(name, [called] + arguments)
            }
            throw UnreadablePredicate("it calls \(name), a function of the app itself")
        }
        return .function(name, try members(object, "NSArguments", depth: depth))
    }

    private mutating func members(
        _ object: ArchivedObject, _ key: String, depth: Int
    ) throws(UnreadablePredicate) -> [FetchExpression] {
        var members: [FetchExpression] = []
        for member in try Self.reading({ () throws(ModelArchiveError) in
            try object.elements(key)
        }) {
            members.append(try expression(member, depth: depth + 1))
        }
        return members
    }

    private mutating func subquery(
        _ object: ArchivedObject, depth: Int
    ) throws(UnreadablePredicate) -> FetchExpression {
        let collection = try expression(Self.value(object, "NSCollection"), depth: depth + 1)
        var name = try Self.string(object, "NSVariable")
        if let variable = try Self.object(object, "NSVariableExpression") {
            name = try Self.string(variable, "NSVariable")
        }
        guard let condition = try Self.object(object, "NSPredicate"), let name else {
            throw UnreadablePredicate("a subquery has no condition or no variable")
        }
        return .subquery(
            collection: collection, variable: name,
            predicate: try predicate(condition, depth: depth + 1))
    }

    private mutating func conditional(
        _ object: ArchivedObject, depth: Int
    ) throws(UnreadablePredicate) -> FetchExpression {
        guard let condition = try Self.object(object, "NSPredicate") else {
            throw UnreadablePredicate("a conditional expression has no condition")
        }
        return .conditional(
            try predicate(condition, depth: depth + 1),
            then: try expression(Self.value(object, "NSTrueExpression"), depth: depth + 1),
            otherwise: try expression(Self.value(object, "NSFalseExpression"), depth: depth + 1))
    }
}
