/// Builds a keyed archive object by object.
package struct KeyedArchiveBuilder {
    private var nodes: [BinaryPropertyList.Node] = []
    private var indices: [BinaryPropertyList.Node: Int] = [:]
    /// The node index of each entry of `$objects`.
    var objects: [Int] = []
    private var classes: [String: Int] = [:]

    package init() {
        objects = [intern(.string("$null"))]
    }

    /// Returns the index of an equal node. Adds the node if there is no equal one yet.
    package mutating func intern(_ node: BinaryPropertyList.Node) -> Int {
        if let index = indices[node] { return index }
        nodes.append(node)
        indices[node] = nodes.count - 1
        return nodes.count - 1
    }

    /// Reserves the number of an object whose content is added later with `fill`, and returns the number.
    package mutating func reserve() -> Int {
        objects.append(0)
        return objects.count - 1
    }

    /// Adds a plain value as a separate object and returns its number. Returns 0 for `.null` and `.object`.
    package mutating func add(plain value: ArchivedValue) -> Int {
        let node: BinaryPropertyList.Node
        switch value {
        case .null, .object: return 0
        case .boolean(let value): node = .boolean(value)
        case .integer(let value): node = .integer(value)
        case .real(let value): node = .real(value)
        case .string(let value): node = .string(value)
        case .data(let value): node = .data(value)
        case .date(let seconds): return add("NSDate", [("NS.time", .real(seconds))])
        }
        return add(node: node)
    }

    /// Adds a string, number, Boolean or data as a separate object and returns its number.
    package mutating func add(node: BinaryPropertyList.Node) -> Int {
        objects.append(intern(node))
        return objects.count - 1
    }

    /// Adds an object with its fields and returns its number.
    package mutating func add(
        _ className: String, _ fields: [(String, BinaryPropertyList.Node)]
    ) -> Int {
        let number = reserve()
        fill(number, className, fields)
        return number
    }

    /// Sets the class and the fields of a reserved object.
    package mutating func fill(
        _ number: Int, _ className: String, _ fields: [(String, BinaryPropertyList.Node)]
    ) {
        var keys = [intern(.string("$class"))]
        var values = [intern(.reference(classNumber(className)))]
        for (key, value) in fields {
            keys.append(intern(.string(key)))
            values.append(intern(value))
        }
        objects[number] = intern(.dictionary(keys: keys, values: values))
    }

    /// Adds an array or another collection of object numbers, and returns the number of the collection.
    package mutating func add(list numbers: [Int], as className: String = "NSArray") -> Int {
        let members = numbers.map { intern(.reference($0)) }
        let index = intern(.array(members))
        return addContainer(className, [("NS.objects", index)])
    }

    /// Adds a dictionary of object numbers, and returns the number of the dictionary.
    package mutating func add(
        dictionary entries: [(key: Int, value: Int)], as className: String = "NSDictionary"
    ) -> Int {
        let keys = entries.map { intern(.reference($0.key)) }
        let values = entries.map { intern(.reference($0.value)) }
        return addContainer(
            className, [("NS.keys", intern(.array(keys))), ("NS.objects", intern(.array(values)))])
    }

    private mutating func addContainer(_ className: String, _ fields: [(String, Int)]) -> Int {
        let reference = intern(.reference(classNumber(className)))
        let keys = fields.map { intern(.string($0.0)) } + [intern(.string("$class"))]
        objects.append(intern(.dictionary(keys: keys, values: fields.map(\.1) + [reference])))
        return objects.count - 1
    }

    private mutating func classNumber(_ name: String) -> Int {
        if let number = classes[name] { return number }
        let names = ArchivedClass.ancestors(of: name).map { intern(.string($0)) }
        let keys = [intern(.string("$classname")), intern(.string("$classes"))]
        let values = [intern(.string(name)), intern(.array(names))]
        objects.append(intern(.dictionary(keys: keys, values: values)))
        classes[name] = objects.count - 1
        return objects.count - 1
    }

    /// Returns the bytes of an archive whose root is the object with this number.
    package mutating func finish(root: Int) -> [UInt8] {
        let top = intern(
            .dictionary(keys: [intern(.string("root"))], values: [intern(.reference(root))]))
        let outermost = intern(
            .dictionary(
                keys: ["$version", "$archiver", "$top", "$objects"].map { intern(.string($0)) },
                values: [
                    intern(.integer(100_000)), intern(.string("NSKeyedArchiver")), top,
                    intern(.array(objects)),
                ]))
        var writer = BinaryPropertyListWriter(BinaryPropertyList(nodes: nodes, root: outermost))
        return writer.write()
    }
}

/// The superclasses of each class that we archive, as Core Data lists them in its own archives.
enum ArchivedClass {
    static func ancestors(of name: String) -> [String] {
        var chain = [name]
        while let above = superclasses[chain[chain.count - 1]] { chain.append(above) }
        return chain + ["NSObject"]
    }

    private static let superclasses = [
        "NSMutableArray": "NSArray", "NSMutableDictionary": "NSDictionary",
        "NSMutableSet": "NSSet", "NSMutableString": "NSString", "NSMutableData": "NSData",
        "NSMutableOrderedSet": "NSOrderedSet",
        "NSKnownKeysDictionary1": "NSKnownKeysDictionary",
        "NSKnownKeysDictionary": "NSMutableDictionary",
        "NSKnownKeysMappingStrategy1": "NSKnownKeysMappingStrategy",
        "NSAttributeDescription": "NSPropertyDescription",
        "NSRelationshipDescription": "NSPropertyDescription",
        "NSFetchedPropertyDescription": "NSPropertyDescription",
        "NSExpressionDescription": "NSPropertyDescription",
        "NSDerivedAttributeDescription": "NSAttributeDescription",
        "NSCompositeAttributeDescription": "NSAttributeDescription",
        "NSFetchRequest": "NSPersistentStoreRequest",
        "NSDecimalNumberPlaceholder": "NSDecimalNumber", "NSDecimalNumber": "NSNumber",
        "NSNumber": "NSValue",
        "NSComparisonPredicate": "NSPredicate", "NSCompoundPredicate": "NSPredicate",
        "NSTruePredicate": "NSPredicate", "NSFalsePredicate": "NSPredicate",
        "NSComparisonPredicateOperator": "NSPredicateOperator",
        "NSEqualityPredicateOperator": "NSPredicateOperator",
        "NSInPredicateOperator": "NSPredicateOperator",
        "NSBetweenPredicateOperator": "NSPredicateOperator",
        "NSStringPredicateOperator": "NSPredicateOperator",
        "NSMatchingPredicateOperator": "NSStringPredicateOperator",
        "NSLikePredicateOperator": "NSMatchingPredicateOperator",
        "NSSubstringPredicateOperator": "NSStringPredicateOperator",
        "NSConstantValueExpression": "NSExpression", "NSSelfExpression": "NSExpression",
        "NSVariableExpression": "NSExpression", "NSKeyPathSpecifierExpression": "NSExpression",
        "NSFunctionExpression": "NSExpression", "NSKeyPathExpression": "NSFunctionExpression",
        "NSAggregateExpression": "NSExpression", "NSSubqueryExpression": "NSExpression",
        "NSTernaryExpression": "NSExpression",
    ]
}
